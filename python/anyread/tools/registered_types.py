"""The registered media types of images, audio, video and PDF, as JavaScript's package `mime` has them."""

from __future__ import annotations

from typing import Final


def _by_extension(table: str) -> dict[str, str]:
    lines = (line.split() for line in table.strip().splitlines())
    return {f".{name}": media_type for media_type, *names in lines for name in names}


MEDIA_TYPES: Final = _by_extension(
    """
application/pdf pdf
audio/aac adts aac
audio/adpcm adp
audio/amr amr
audio/basic au snd
audio/midi mid midi kar rmi
audio/mobile-xmf mxmf
audio/mp4 m4a mp4a m4b
audio/mpeg mpga mp2 mp2a mp3 m2a m3a
audio/ogg oga ogg spx opus
audio/s3m s3m
audio/silk sil
audio/wav wav
audio/webm weba
audio/xm xm
image/aces exr
image/apng apng
image/avci avci
image/avcs avcs
image/avif avif
image/bmp bmp dib
image/cgm cgm
image/dicom-rle drle
image/dpx dpx
image/emf emf
image/fits fits
image/g3fax g3
image/gif gif
image/heic heic
image/heic-sequence heics
image/heif heif
image/heif-sequence heifs
image/hej2k hej2
image/ief ief
image/jaii jaii
image/jais jais
image/jls jls
image/jp2 jp2 jpg2
image/jpeg jpg jpeg jpe
image/jph jph
image/jphc jhc
image/jpm jpm jpgm
image/jpx jpx jpf
image/jxl jxl
image/jxr jxr
image/jxra jxra
image/jxrs jxrs
image/jxs jxs
image/jxsc jxsc
image/jxsi jxsi
image/jxss jxss
image/ktx ktx
image/ktx2 ktx2
image/pjpeg jfif
image/png png
image/sgi sgi
image/svg+xml svg svgz
image/t38 t38
image/tiff tif tiff
image/tiff-fx tfx
image/webp webp
image/wmf wmf
video/3gpp 3gp 3gpp
video/3gpp2 3g2
video/h261 h261
video/h263 h263
video/h264 h264
video/iso.segment m4s
video/jpeg jpgv
video/mj2 mj2 mjp2
video/mp2t ts m2t m2ts mts
video/mp4 mp4 mp4v mpg4
video/mpeg mpeg mpg mpe m1v m2v
video/ogg ogv
video/quicktime qt mov
video/webm webm
"""
)
"""The media types by extension."""
