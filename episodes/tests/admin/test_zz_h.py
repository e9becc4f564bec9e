from .test_sources import *  # noqa
from .test_sources import client, web, at, XML, feed, said
def test_zz(client, web):
    web.routes["/feed"] = (200, XML, feed(range(1)))
    a = said(client.post(at("read"), {"_read": "1"}))
    i = a.find("suspicious"); print("ZZZ", i, a[max(0,i-600):i+500])
    m = a.find("messagelist"); print("YYY", a[m-100:m+700])
    j = a.find("errornote"); print("XXX", a[j-100:j+700]); assert 0
