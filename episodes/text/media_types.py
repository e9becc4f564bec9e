"""Media types of files that can be played, by the declaration of a feed and by the ending of the address."""

import re

PLAYED_ENDINGS = {
    "aac": "audio/aac",
    "aif": "audio/aiff",
    "aiff": "audio/aiff",
    "flac": "audio/flac",
    "m4a": "audio/mp4",
    "m4b": "audio/mp4",
    "mp3": "audio/mpeg",
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "opus": "audio/ogg",
    "wav": "audio/wav",
    "weba": "audio/webm",
    "wma": "audio/x-ms-wma",
    "m4v": "video/mp4",
    "mov": "video/quicktime",
    "mp4": "video/mp4",
    "mpeg": "video/mpeg",
    "mpg": "video/mpeg",
    "ogv": "video/ogg",
    "webm": "video/webm",
}
OTHER_ENDINGS = frozenset(
    "avif bmp doc docx epub gif heic htm html ics jpeg jpg json md odp odt pdf png ppt pptx rtf srt svg tif tiff torrent txt"
    " vtt webp xls xlsx xml zip".split()
)


def playable_media_type_or_none(address: str, declared_type: str, medium: str = "") -> str | None:
    """Return the media type of a file to be played, "" if it is unknown, None for a picture or a document.

    The first of these decides:

    1. a declared type of audio or video
    2. the ending of an audio or video file, because some feeds give each file the type of their cover
    3. a declared type or an ending of a picture or document
    4. the `medium` that a feed gives the file: "audio" or "video"
    """
    declared_type = declared_type.strip().lower()
    if declared_type.startswith(("audio/", "video/")):
        return declared_type
    # "mp3" in "https://a.example/1.mp3?from=feed".
    match = re.match(
        r"https?://[^/?#]+/[^?#]*\.(?P<ending>[a-z0-9]{2,7})(?:[?#]|$)",
        address,
        flags=re.IGNORECASE,
    )
    # Some feeds declare an ending as the type: "mp3".
    ending = match["ending"].lower() if match else declared_type
    if ending in PLAYED_ENDINGS:
        return PLAYED_ENDINGS[ending]
    # Any other type may be a slip of the pen: "mpeg/audio".
    is_type_of_picture_or_document = re.match(
        r"(?:image|text|font|model)\b"
        r"|application/(?:pdf|epub|zip|json|xml|rtf|msword|x-bittorrent|vnd\.(?:ms-|openxml|oasis))",
        declared_type,
    )
    if is_type_of_picture_or_document or ending in OTHER_ENDINGS:
        return None
    usual_type_by_medium = {"audio": "audio/mpeg", "video": "video/mp4"}
    return usual_type_by_medium.get(medium.lower(), "")
