"""Elements of a large XML file one at a time, with no entity ever expanded."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from io import BufferedIOBase
from xml.etree import ElementTree
from xml.parsers import expat

from leafward.corpus.problems import Rejected

_CHUNK = 1 << 16
_DEEPEST = 100
"""Elements inside each other; MEDLINE needs about ten."""

LocatedElement = tuple[int, ElementTree.Element]
"""A finished element and the line on which it begins."""


class BrokenXml(Rejected):
    """The file stops being XML, or declares an entity, on ``line``."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__("broken-line", message)
        self.line = line


def elements(stream: BufferedIOBase, names: Collection[str]) -> Iterator[LocatedElement]:
    """Yield every element with one of these names, complete, as soon as it ends.

    Memory holds one such element and a chunk. A file that declares entities is refused at the
    declaration, before one could be expanded ("billion laughs"); nothing outside of the file is
    read (no external entities, no external part of the DTD).

    Raises:
        BrokenXml: not well-formed, nested beyond all use, or with declared entities.
    """
    collector = _Collector(names)
    more = True
    while more:
        chunk = stream.read1(_CHUNK)  # what there is, even of a file that breaks off further on
        more = bool(chunk)
        try:
            collector.feed(chunk, final=not more)
        except BrokenXml:
            yield from collector.take()
            raise
        yield from collector.take()


class _Collector:
    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._depth = 0
        self._start = (0, 0)  # depth and line of the element being collected
        self._builder: ElementTree.TreeBuilder | None = None
        self._done: list[LocatedElement] = []
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._open
        self._parser.EndElementHandler = self._close
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = self._entity
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def feed(self, data: bytes, *, final: bool) -> None:
        try:
            self._parser.Parse(data, final)
        except expat.ExpatError as error:
            message = expat.ErrorString(error.code)
            raise BrokenXml(error.lineno, f"not XML: {message}") from error

    def take(self) -> list[LocatedElement]:
        done, self._done = self._done, []
        return done

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise BrokenXml(self._line, f"more than {_DEEPEST} elements inside each other")
        if self._builder is None and name in self._names:
            self._builder = ElementTree.TreeBuilder()
            self._start = (self._depth, self._line)
        if self._builder is not None:
            self._builder.start(name, attributes)

    def _close(self, name: str) -> None:
        if self._builder is not None:
            self._builder.end(name)
            depth, line = self._start
            if depth == self._depth:
                self._done.append((line, self._builder.close()))
                self._builder = None
        self._depth -= 1

    def _text(self, data: str) -> None:
        if self._builder is not None:
            self._builder.data(data)

    def _entity(self, name: str, *declared: object) -> None:
        raise BrokenXml(self._line, f"the file declares the entity {name[:40]!r}")

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber
