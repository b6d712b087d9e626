"""What to do with a file that cannot be shown, by its media type: list, decompress, query or convert it."""

from __future__ import annotations

from .base import Argument

_LISTED = "list its entries with `{command}`, then unpack it into a new directory and read the files there"
_DECOMPRESSED = "decompress it into a new file with `{command} > FILE`, and read that"
_CONVERTED = "convert it to PDF with `soffice --headless --convert-to pdf {path}`, and read that"
_AS_WORKBOOK, _AS_DOCUMENT, _AS_SLIDES = (
    f"convert it with `soffice --headless --convert-to {suffix} {{path}}`, and read that"
    for suffix in ("xlsx", "docx", "pptx")
)
_TO_TEXT = "convert it to text with `pandoc --to plain --output FILE {path}`, and read that"
_AS_PNG = "convert it to PNG with `magick {path} FILE.png`, and read that"
_INSPECTED = "inspect it with `{command}`, or read the source that it was built from"
_MEDIA = "show its streams and metadata with `ffprobe -hide_banner {path}`"
_UNKNOWN = "inspect its first bytes with `xxd -l 256 {path}`, or pass "

# `{path}` becomes the path, quoted for a shell.
_ARCHIVES = {
    "application/java-archive": "unzip -l {path}",
    "application/vnd.android.package-archive": "unzip -l {path}",
    "application/vnd.debian.binary-package": "dpkg-deb --contents {path}",
    "application/vnd.ms-cab-compressed": "cabextract -l {path}",
    "application/vnd.rar": "unrar l {path}",
    "application/x-7z-compressed": "7z l {path}",
    "application/x-cpio": "cpio -t < {path}",
    "application/x-google-chrome-extension": "unzip -l {path}",
    "application/x-rpm": "rpm -qpl {path}",
    "application/x-tar": "tar -tf {path}",
    "application/x-unix-archive": "ar t {path}",
    "application/zip": "unzip -l {path}",
}
_COMPRESSED = {
    "application/gzip": "gzip -dc {path}",
    "application/vnd.bzip3": "bzip3 -dc {path}",
    "application/x-bzip2": "bzip2 -dc {path}",
    "application/x-compress": "gzip -dc {path}",
    "application/x-lz4": "lz4 -dc {path}",
    "application/x-lzip": "lzip -dc {path}",
    "application/x-xz": "xz -dc {path}",
    "application/zstd": "zstd -dc {path}",
}
_PROGRAMS = {
    "application/java": "javap -c -p {path}",
    "application/vnd.microsoft.portable-executable": "objdump -x {path}",
    "application/wasm": "wasm-objdump -x {path}",
    "application/x-executable": "readelf -h -d {path}",
    "application/x-mach-binary": "otool -hL {path}",
}
# Files that all are `application/x-ole-storage`.
_OLE = {".xls": _AS_WORKBOOK, ".doc": _AS_DOCUMENT, ".ppt": _AS_SLIDES}
_OTHERS = {
    "application/dicom": "convert it to PNG with `dcm2pnm --write-png {path} FILE.png`, and read that",
    "application/epub+zip": _TO_TEXT,
    "application/msword": _AS_DOCUMENT,
    "application/pdf": "save a copy of it without encryption, and read that",
    "application/postscript": "convert it to PDF with `ps2pdf {path} FILE.pdf`, and read that",
    "application/rtf": _TO_TEXT,
    "application/vnd.apache.arrow.file": "load it with `pandas.read_feather`, and print the rows of interest",
    "application/vnd.ms-excel": _AS_WORKBOOK,
    "application/vnd.ms-excel.sheet.binary.macroEnabled.12": _AS_WORKBOOK,
    "application/vnd.ms-powerpoint": _AS_SLIDES,
    "application/vnd.oasis.opendocument.presentation": _AS_SLIDES,
    "application/vnd.oasis.opendocument.spreadsheet": _AS_WORKBOOK,
    "application/vnd.oasis.opendocument.text": _AS_DOCUMENT,
    "application/vnd.apache.parquet": "query it with DuckDB, or load it with `pandas.read_parquet`",
    "application/vnd.sqlite3": "query it: `sqlite3 -readonly {path} .schema` shows its tables",
    "application/x-hdf5": "list its datasets with `h5dump -n {path}`, and print one of them",
    "application/x-ole-storage": _CONVERTED,
    "application/x-mobipocket-ebook": (
        "convert it to text with `ebook-convert {path} FILE.txt`, and read that"
    ),
    "application/x-numpy-data": "load it with `numpy.load`, and print its shape and the part of interest",
    "application/x-python-code": "read the Python source that it was compiled from",
    "application/x-qemu-disk": "describe it with `qemu-img info {path}`",
    "image/vnd.djvu": "convert it to PDF with `ddjvu -format=pdf {path} FILE.pdf`, and read that",
}
_STEPS = {
    **{media_type: _LISTED.format(command=command) for media_type, command in _ARCHIVES.items()},
    **{media_type: _DECOMPRESSED.format(command=command) for media_type, command in _COMPRESSED.items()},
    **{media_type: _INSPECTED.format(command=command) for media_type, command in _PROGRAMS.items()},
    **_OTHERS,
}
_FAMILIES = {
    "application/vnd.ms-": _CONVERTED,
    "application/vnd.oasis.opendocument.": _CONVERTED,
    "application/vnd.openxmlformats-officedocument.": _CONVERTED,
    "audio/": f"{_MEDIA}, or read a transcript of it",
    "video/": f"{_MEDIA}, or read frames of it: `ffmpeg -i {{path}} -vf fps=1 FRAME-%03d.png`",
    "image/": _AS_PNG,
    "application/font-": "describe it with `fc-scan {path}`",
}


def next_step(media_type: str, path: str) -> tuple[str | Argument, ...]:
    """Return the hint for a file of this type; only a file of unknown type may be read as text."""
    from shlex import quote

    template = _template(media_type, path)
    quoted_path = quote(path if not path.startswith("-") else f"./{path}")
    hint = template.replace("{path}", quoted_path).replace("\r", "\\r").replace("\n", "\\n")
    if template is _UNKNOWN:
        return (hint, Argument("kind", "text"), " to read them as text")
    return (hint,)


def lines_of_gzip(path: str) -> str:
    """Return a command that shows some lines of a gzip file, for a shell."""
    from shlex import quote

    return f"`gzip -dc < {quote(path)} | sed -n '1,2000p;2000q' > FILE`".replace("\r", "\\r").replace(
        "\n", "\\n"
    )


def _template(media_type: str, path: str) -> str:
    if media_type in _COMPRESSED and holds_a_tar(path):
        return _LISTED.format(command="tar -tf {path}")
    found = _OLE.get(path.lower()[-4:]) if media_type == "application/x-ole-storage" else None
    found = found or _STEPS.get(media_type)
    if found is None:
        found = next((step for family, step in _FAMILIES.items() if media_type.startswith(family)), _UNKNOWN)
    return found


def holds_a_tar(path: str) -> bool:
    """Return whether a compressed file holds a tar archive, by its name."""
    stem, _, suffix = path.rpartition(".")
    return stem.endswith(".tar") or suffix in {"tgz", "tbz2", "txz", "tzst"}
