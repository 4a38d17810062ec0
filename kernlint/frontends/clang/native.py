"""The thinnest possible layer over the libclang shared library.

The stock bindings wrap each call in several Python frames; here the C functions are reached directly, with raw
structs passed by value. A function is looked up and given its signature the first time it is used, so that loading
costs nothing for what a run does not need, and importing this module does not load the library.

Limits: one libclang major version is supported (18), because ``kinds`` holds its numbers.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int, c_longlong, c_size_t, c_uint, c_ulonglong, c_void_p
from typing import Any

from kernlint.frontends.base import FrontendError

SUPPORTED_MAJOR = 18

LIBRARY_VARIABLE = "KERNLINT_LIBCLANG"


class CXString(ctypes.Structure):
    """A string owned by libclang; ``take`` copies and releases it."""

    _fields_ = [("data", c_char_p), ("flags", c_uint)]
    data: bytes | None
    flags: int


class CXCursor(ctypes.Structure):
    """A node handle, passed by value. ``d0``..``d2`` are opaque pointers (the third is the translation unit)."""

    _fields_ = [("kind", c_int), ("xdata", c_int), ("d0", c_size_t), ("d1", c_size_t), ("d2", c_size_t)]
    kind: int
    xdata: int
    d0: int
    d1: int
    d2: int


class CXType(ctypes.Structure):
    """A type handle; ``d0`` identifies the type with its qualifiers, ``d1`` the translation unit."""

    _fields_ = [("kind", c_int), ("d0", c_size_t), ("d1", c_size_t)]
    kind: int
    d0: int
    d1: int


class CXSourceLocation(ctypes.Structure):
    """A place; ``raw`` is clang's own encoding (bit 31: inside a macro expansion)."""

    _fields_ = [("p0", c_size_t), ("p1", c_size_t), ("raw", c_uint)]
    p0: int
    p1: int
    raw: int


class CXSourceRange(ctypes.Structure):
    """A half-open range of places, each in the encoding of ``CXSourceLocation.raw``."""

    _fields_ = [("p0", c_size_t), ("p1", c_size_t), ("begin", c_uint), ("end", c_uint)]
    p0: int
    p1: int
    begin: int
    end: int


class CXSourceRangeList(ctypes.Structure):
    """A list of ranges owned by libclang; free it with ``clang_disposeSourceRangeList``."""

    _fields_ = [("count", c_uint), ("ranges", POINTER(CXSourceRange))]


class CXUnsavedFile(ctypes.Structure):
    """A file that exists only in memory; ``length`` is in bytes."""

    _fields_ = [("filename", c_char_p), ("contents", c_char_p), ("length", ctypes.c_ulong)]


class CXTUResourceUsageEntry(ctypes.Structure):
    """Bytes (``amount``) that a unit holds for one purpose; kind 1 is the syntax tree."""

    _fields_ = [("kind", c_int), ("amount", ctypes.c_ulong)]


class CXTUResourceUsage(ctypes.Structure):
    """What a unit holds, by purpose; free it with ``clang_disposeCXTUResourceUsage``."""

    _fields_ = [("data", c_void_p), ("count", c_uint), ("entries", POINTER(CXTUResourceUsageEntry))]


VISITOR = CFUNCTYPE(c_int, CXCursor, CXCursor, c_void_p)
INCLUSION_VISITOR = CFUNCTYPE(None, c_void_p, POINTER(CXSourceLocation), c_uint, c_void_p)

_C, _T, _L, _R, _S = CXCursor, CXType, CXSourceLocation, CXSourceRange, CXString
_OUT = c_void_p  # addresses of c_uint / c_void_p out-parameters, passed as integers

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    # name: (result, *arguments)
    "getClangVersion": (_S,),
    "getCString": (c_char_p, _S),
    "disposeString": (None, _S),
    "toggleCrashRecovery": (None, c_uint),
    # index and translation unit
    "createIndex": (c_void_p, c_int, c_int),
    "disposeIndex": (None, c_void_p),
    "parseTranslationUnit2": (
        c_int,
        c_void_p,
        c_char_p,
        POINTER(c_char_p),
        c_int,
        POINTER(CXUnsavedFile),
        c_uint,
        c_uint,
        POINTER(c_void_p),
    ),
    "saveTranslationUnit": (c_int, c_void_p, c_char_p, c_uint),
    "disposeTranslationUnit": (None, c_void_p),
    "getCXTUResourceUsage": (CXTUResourceUsage, c_void_p),
    "disposeCXTUResourceUsage": (None, CXTUResourceUsage),
    "getTranslationUnitCursor": (_C, c_void_p),
    "getInclusions": (None, c_void_p, INCLUSION_VISITOR, c_void_p),
    # diagnostics
    "getNumDiagnostics": (c_uint, c_void_p),
    "getDiagnostic": (c_void_p, c_void_p, c_uint),
    "disposeDiagnostic": (None, c_void_p),
    "getDiagnosticSeverity": (c_int, c_void_p),
    "getDiagnosticSpelling": (_S, c_void_p),
    "getDiagnosticLocation": (_L, c_void_p),
    "getChildDiagnostics": (c_void_p, c_void_p),
    "getNumDiagnosticsInSet": (c_uint, c_void_p),
    "getDiagnosticInSet": (c_void_p, c_void_p, c_uint),
    "getDiagnosticOption": (_S, c_void_p, POINTER(_S)),
    # files and places
    "getFile": (c_void_p, c_void_p, c_char_p),
    "getFileName": (_S, c_void_p),
    "getLocationForOffset": (_L, c_void_p, c_void_p, c_uint),
    "getFileLocation": (None, _L, _OUT, _OUT, _OUT, _OUT),
    "Location_isFromMainFile": (c_int, _L),
    "Location_isInSystemHeader": (c_int, _L),
    "getSkippedRanges": (POINTER(CXSourceRangeList), c_void_p, c_void_p),
    "getAllSkippedRanges": (POINTER(CXSourceRangeList), c_void_p),
    "disposeSourceRangeList": (None, POINTER(CXSourceRangeList)),
    # cursors
    "visitChildren": (c_uint, _C, VISITOR, c_void_p),
    "equalCursors": (c_uint, _C, _C),
    "hashCursor": (c_uint, _C),
    "Cursor_isNull": (c_int, _C),
    "isInvalidDeclaration": (c_uint, _C),
    "isCursorDefinition": (c_uint, _C),
    "getCursorKind": (c_int, _C),
    "getCursorSpelling": (_S, _C),
    "getCursorDisplayName": (_S, _C),
    "getCursorUSR": (_S, _C),
    "getCursorLocation": (_L, _C),
    "getCursorExtent": (_R, _C),
    "Cursor_getSpellingNameRange": (_R, _C, c_uint, c_uint),
    "getCursorType": (_T, _C),
    "getCursorResultType": (_T, _C),
    "getCursorReferenced": (_C, _C),
    "getCursorDefinition": (_C, _C),
    "getCanonicalCursor": (_C, _C),
    "getSpecializedCursorTemplate": (_C, _C),
    "getTemplateCursorKind": (c_int, _C),
    "getCursorSemanticParent": (_C, _C),
    "getCursorLexicalParent": (_C, _C),
    "getNumOverloadedDecls": (c_uint, _C),
    "getOverloadedDecl": (_C, _C, c_uint),
    "Cursor_getNumArguments": (c_int, _C),
    "Cursor_getArgument": (_C, _C, c_uint),
    "Cursor_getNumTemplateArguments": (c_int, _C),
    "Cursor_getTemplateArgumentKind": (c_int, _C, c_uint),
    "Cursor_getTemplateArgumentType": (_T, _C, c_uint),
    "Cursor_getTemplateArgumentValue": (c_longlong, _C, c_uint),
    "Cursor_getTemplateArgumentUnsignedValue": (c_ulonglong, _C, c_uint),
    "Cursor_hasAttrs": (c_uint, _C),
    "Cursor_isAnonymous": (c_uint, _C),
    "Cursor_isAnonymousRecordDecl": (c_uint, _C),
    "Cursor_isBitField": (c_uint, _C),
    "Cursor_isFunctionInlined": (c_uint, _C),
    "Cursor_isVariadic": (c_uint, _C),
    "Cursor_isMacroFunctionLike": (c_uint, _C),
    "Cursor_getStorageClass": (c_int, _C),
    "getCursorLinkage": (c_int, _C),
    "Cursor_hasVarDeclGlobalStorage": (c_int, _C),
    "Cursor_hasVarDeclExternalStorage": (c_int, _C),
    "Cursor_getVarDeclInitializer": (_C, _C),
    "Cursor_getOffsetOfField": (c_longlong, _C),
    "getCursorBinaryOperatorKind": (c_int, _C),
    "getCursorUnaryOperatorKind": (c_int, _C),
    "getEnumConstantDeclValue": (c_longlong, _C),
    "getEnumConstantDeclUnsignedValue": (c_ulonglong, _C),
    "getEnumDeclIntegerType": (_T, _C),
    "getFieldDeclBitWidth": (c_int, _C),
    "getTypedefDeclUnderlyingType": (_T, _C),
    "getCXXAccessSpecifier": (c_int, _C),
    "CXXMethod_isStatic": (c_uint, _C),
    "CXXMethod_isConst": (c_uint, _C),
    "CXXMethod_isVirtual": (c_uint, _C),
    "CXXMethod_isDefaulted": (c_uint, _C),
    # evaluation and printing
    "Cursor_Evaluate": (c_void_p, _C),
    "EvalResult_getKind": (c_int, c_void_p),
    "EvalResult_isUnsignedInt": (c_uint, c_void_p),
    "EvalResult_getAsLongLong": (c_longlong, c_void_p),
    "EvalResult_getAsUnsigned": (c_ulonglong, c_void_p),
    "EvalResult_getAsDouble": (c_double, c_void_p),
    "EvalResult_getAsStr": (c_char_p, c_void_p),
    "EvalResult_dispose": (None, c_void_p),
    "getCursorPrintingPolicy": (c_void_p, _C),
    "PrintingPolicy_setProperty": (None, c_void_p, c_int, c_uint),
    "PrintingPolicy_dispose": (None, c_void_p),
    "getCursorPrettyPrinted": (_S, _C, c_void_p),
    # types
    "getTypeSpelling": (_S, _T),
    "getCanonicalType": (_T, _T),
    "getPointeeType": (_T, _T),
    "getNonReferenceType": (_T, _T),
    "getUnqualifiedType": (_T, _T),
    "getResultType": (_T, _T),
    "getNumArgTypes": (c_int, _T),
    "getArgType": (_T, _T, c_uint),
    "isFunctionTypeVariadic": (c_uint, _T),
    "getElementType": (_T, _T),
    "getNumElements": (c_longlong, _T),
    "getArrayElementType": (_T, _T),
    "getArraySize": (c_longlong, _T),
    "getTypeDeclaration": (_C, _T),
    "getAddressSpace": (c_uint, _T),
    "isConstQualifiedType": (c_uint, _T),
    "isPODType": (c_uint, _T),
    "isVolatileQualifiedType": (c_uint, _T),
    "isRestrictQualifiedType": (c_uint, _T),
    "Type_getNamedType": (_T, _T),
    "Type_getModifiedType": (_T, _T),
    "Type_getValueType": (_T, _T),
    "Type_getSizeOf": (c_longlong, _T),
    "Type_getAlignOf": (c_longlong, _T),
    "Type_getNumTemplateArguments": (c_int, _T),
    "Type_getTemplateArgumentAsType": (_T, _T, c_uint),
    "Type_visitFields": (c_uint, _T, CFUNCTYPE(c_int, CXCursor, c_void_p), c_void_p),
}

TERSE_OUTPUT = 17  # CXPrintingPolicy_TerseOutput: a declaration's head without its body


def library_path() -> str:
    """The shared library of the installed ``libclang`` distribution, without importing its Python bindings.

    The environment variable KERNLINT_LIBCLANG names another file.

    Raises ``FrontendError`` when there is none.
    """
    if override := os.environ.get(LIBRARY_VARIABLE):
        return override
    name = {"win32": "libclang.dll", "darwin": "libclang.dylib"}.get(sys.platform, "libclang.so")
    spec = importlib.util.find_spec("clang")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = os.path.join(folder, "native", name)
        if os.path.isfile(path):
            return path
    raise FrontendError(f"{name} not found: install the 'libclang' package (version {SUPPORTED_MAJOR})")


class Library:
    """The functions of libclang as attributes, without their ``clang_`` prefix; bound on first use.

    Raises ``FrontendError`` on first use when the library is missing or is not the supported major version.
    """

    def __init__(self) -> None:
        self._handle: ctypes.CDLL | None = None

    def __getattr__(self, name: str) -> Any:
        if name not in _SIGNATURES:
            raise AttributeError(name)
        function = getattr(self._load(), "clang_" + name)
        result, *arguments = _SIGNATURES[name]
        function.restype = result
        function.argtypes = arguments
        setattr(self, name, function)
        return function

    def _load(self) -> ctypes.CDLL:
        if self._handle is None:
            path = library_path()
            try:
                handle = ctypes.CDLL(str(path))
                version = _version(handle)
            except (OSError, AttributeError) as error:
                raise FrontendError(f"cannot load {path}: {error}") from error
            if f"version {SUPPORTED_MAJOR}." not in version:
                raise FrontendError(f"{path} is {version}; kernlint needs libclang {SUPPORTED_MAJOR}")
            self._handle = handle
        return self._handle

    def version(self) -> str:
        """The library's own description of its version."""
        return take(self.getClangVersion())


def _version(handle: ctypes.CDLL) -> str:
    function = handle.clang_getClangVersion
    function.restype = CXString
    return (function().data or b"").decode("utf-8", "replace")


LIB = Library()


def take(string: CXString) -> str:
    """The text of a CXString, which is released.

    Flag 0 is a borrowed C string and 1 a malloc'ed one, both readable in place; anything else is a buffer object.
    """
    flags = string.flags
    data = string.data if flags <= 1 else LIB.getCString(string)
    if flags:
        LIB.disposeString(string)
    return data.decode("utf-8", "replace") if data else ""
