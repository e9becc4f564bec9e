"""Tests in Firefox and in WebKit, which is Safari's engine: what readers and curators do, once for both."""
