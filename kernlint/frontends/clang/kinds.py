"""Numbers of libclang 18 that the front end compares against.

The values are those of ``clang-c/Index.h`` in LLVM 18.1; they are part of its stable interface, except
``CursorKind.TRANSLATION_UNIT``, which moves between major versions. Only kinds that CUDA, HIP and OpenCL sources
produce are named. They are plain integers: making enums of five hundred numbers takes longer than parsing a kernel.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag


class CursorKind:
    """``CXCursorKind``: what a node of the tree is."""

    UNEXPOSED_DECL = 1
    STRUCT_DECL = 2
    UNION_DECL = 3
    CLASS_DECL = 4
    ENUM_DECL = 5
    FIELD_DECL = 6
    ENUM_CONSTANT_DECL = 7
    FUNCTION_DECL = 8
    VAR_DECL = 9
    PARM_DECL = 10
    TYPEDEF_DECL = 20
    CXX_METHOD = 21
    NAMESPACE = 22
    LINKAGE_SPEC = 23
    CONSTRUCTOR = 24
    DESTRUCTOR = 25
    CONVERSION_FUNCTION = 26
    TEMPLATE_TYPE_PARAMETER = 27
    TEMPLATE_NON_TYPE_PARAMETER = 28
    TEMPLATE_TEMPLATE_PARAMETER = 29
    FUNCTION_TEMPLATE = 30
    CLASS_TEMPLATE = 31
    CLASS_TEMPLATE_PARTIAL_SPECIALIZATION = 32
    NAMESPACE_ALIAS = 33
    USING_DIRECTIVE = 34
    USING_DECLARATION = 35
    TYPE_ALIAS_DECL = 36
    CXX_ACCESS_SPECIFIER = 39
    TYPE_REF = 43
    CXX_BASE_SPECIFIER = 44
    TEMPLATE_REF = 45
    NAMESPACE_REF = 46
    MEMBER_REF = 47
    LABEL_REF = 48
    OVERLOADED_DECL_REF = 49
    VARIABLE_REF = 50
    INVALID_FILE = 70
    NO_DECL_FOUND = 71
    NOT_IMPLEMENTED = 72
    INVALID_CODE = 73
    UNEXPOSED_EXPR = 100
    DECL_REF_EXPR = 101
    MEMBER_REF_EXPR = 102
    CALL_EXPR = 103
    BLOCK_EXPR = 105
    INTEGER_LITERAL = 106
    FLOATING_LITERAL = 107
    IMAGINARY_LITERAL = 108
    STRING_LITERAL = 109
    CHARACTER_LITERAL = 110
    PAREN_EXPR = 111
    UNARY_OPERATOR = 112
    ARRAY_SUBSCRIPT_EXPR = 113
    BINARY_OPERATOR = 114
    COMPOUND_ASSIGNMENT_OPERATOR = 115
    CONDITIONAL_OPERATOR = 116
    C_STYLE_CAST_EXPR = 117
    COMPOUND_LITERAL_EXPR = 118
    INIT_LIST_EXPR = 119
    ADDR_LABEL_EXPR = 120
    STMT_EXPR = 121
    GENERIC_SELECTION_EXPR = 122
    GNU_NULL_EXPR = 123
    CXX_STATIC_CAST_EXPR = 124
    CXX_DYNAMIC_CAST_EXPR = 125
    CXX_REINTERPRET_CAST_EXPR = 126
    CXX_CONST_CAST_EXPR = 127
    CXX_FUNCTIONAL_CAST_EXPR = 128
    CXX_TYPEID_EXPR = 129
    CXX_BOOL_LITERAL_EXPR = 130
    CXX_NULL_PTR_LITERAL_EXPR = 131
    CXX_THIS_EXPR = 132
    CXX_THROW_EXPR = 133
    CXX_NEW_EXPR = 134
    CXX_DELETE_EXPR = 135
    UNARY_EXPR = 136
    PACK_EXPANSION_EXPR = 142
    SIZE_OF_PACK_EXPR = 143
    LAMBDA_EXPR = 144
    FIXED_POINT_LITERAL = 149
    CXX_ADDRSPACE_CAST_EXPR = 152
    CONCEPT_SPECIALIZATION_EXPR = 153
    REQUIRES_EXPR = 154
    UNEXPOSED_STMT = 200
    LABEL_STMT = 201
    COMPOUND_STMT = 202
    CASE_STMT = 203
    DEFAULT_STMT = 204
    IF_STMT = 205
    SWITCH_STMT = 206
    WHILE_STMT = 207
    DO_STMT = 208
    FOR_STMT = 209
    GOTO_STMT = 210
    INDIRECT_GOTO_STMT = 211
    CONTINUE_STMT = 212
    BREAK_STMT = 213
    RETURN_STMT = 214
    ASM_STMT = 215
    CXX_CATCH_STMT = 223
    CXX_TRY_STMT = 224
    CXX_FOR_RANGE_STMT = 225
    MS_ASM_STMT = 229
    NULL_STMT = 230
    DECL_STMT = 231
    BUILTIN_BIT_CAST_EXPR = 280
    TRANSLATION_UNIT = 350
    UNEXPOSED_ATTR = 400
    ANNOTATE_ATTR = 406
    ASM_LABEL_ATTR = 407
    PACKED_ATTR = 408
    PURE_ATTR = 409
    CONST_ATTR = 410
    CUDA_CONSTANT_ATTR = 412
    CUDA_DEVICE_ATTR = 413
    CUDA_GLOBAL_ATTR = 414
    CUDA_HOST_ATTR = 415
    CUDA_SHARED_ATTR = 416
    VISIBILITY_ATTR = 417
    CONVERGENT_ATTR = 438
    WARN_UNUSED_RESULT_ATTR = 440
    ALIGNED_ATTR = 441
    PREPROCESSING_DIRECTIVE = 500
    MACRO_DEFINITION = 501
    MACRO_EXPANSION = 502
    INCLUSION_DIRECTIVE = 503
    TYPE_ALIAS_TEMPLATE_DECL = 601
    STATIC_ASSERT = 602
    FRIEND_DECL = 603
    CONCEPT_DECL = 604


class TypeKind:
    """``CXTypeKind``: the outermost constructor of a type."""

    INVALID = 0
    UNEXPOSED = 1
    VOID = 2
    BOOL = 3
    CHAR_U = 4
    UCHAR = 5
    CHAR16 = 6
    CHAR32 = 7
    USHORT = 8
    UINT = 9
    ULONG = 10
    ULONGLONG = 11
    UINT128 = 12
    CHAR_S = 13
    SCHAR = 14
    WCHAR = 15
    SHORT = 16
    INT = 17
    LONG = 18
    LONGLONG = 19
    INT128 = 20
    FLOAT = 21
    DOUBLE = 22
    LONGDOUBLE = 23
    NULLPTR = 24
    OVERLOAD = 25
    DEPENDENT = 26
    FLOAT128 = 30
    HALF = 31
    FLOAT16 = 32
    BFLOAT16 = 39
    COMPLEX = 100
    POINTER = 101
    BLOCK_POINTER = 102
    LVALUE_REFERENCE = 103
    RVALUE_REFERENCE = 104
    RECORD = 105
    ENUM = 106
    TYPEDEF = 107
    FUNCTION_NO_PROTO = 110
    FUNCTION_PROTO = 111
    CONSTANT_ARRAY = 112
    VECTOR = 113
    INCOMPLETE_ARRAY = 114
    VARIABLE_ARRAY = 115
    DEPENDENT_SIZED_ARRAY = 116
    MEMBER_POINTER = 117
    AUTO = 118
    ELABORATED = 119
    PIPE = 120
    OCL_IMAGE_FIRST = 121
    OCL_IMAGE_LAST = 156
    OCL_SAMPLER = 157
    OCL_EVENT = 158
    OCL_QUEUE = 159
    OCL_RESERVE_ID = 160
    EXT_VECTOR = 176
    ATOMIC = 177


class BinaryOperator:
    """``CXBinaryOperatorKind``, of BINARY_OPERATOR and COMPOUND_ASSIGNMENT_OPERATOR cursors."""

    INVALID = 0
    PTR_MEM_D = 1
    PTR_MEM_I = 2
    MUL = 3
    DIV = 4
    REM = 5
    ADD = 6
    SUB = 7
    SHL = 8
    SHR = 9
    CMP = 10
    LT = 11
    GT = 12
    LE = 13
    GE = 14
    EQ = 15
    NE = 16
    AND = 17
    XOR = 18
    OR = 19
    LAND = 20
    LOR = 21
    ASSIGN = 22
    MUL_ASSIGN = 23
    DIV_ASSIGN = 24
    REM_ASSIGN = 25
    ADD_ASSIGN = 26
    SUB_ASSIGN = 27
    SHL_ASSIGN = 28
    SHR_ASSIGN = 29
    AND_ASSIGN = 30
    XOR_ASSIGN = 31
    OR_ASSIGN = 32
    COMMA = 33


class UnaryOperator:
    """``CXUnaryOperatorKind``, of UNARY_OPERATOR cursors."""

    INVALID = 0
    POST_INC = 1
    POST_DEC = 2
    PRE_INC = 3
    PRE_DEC = 4
    ADDR_OF = 5
    DEREF = 6
    PLUS = 7
    MINUS = 8
    NOT = 9
    LNOT = 10
    REAL = 11
    IMAG = 12
    EXTENSION = 13
    COAWAIT = 14


class StorageClass:
    """``CX_StorageClass`` of a variable or function."""

    INVALID = 0
    NONE = 1
    EXTERN = 2
    STATIC = 3
    PRIVATE_EXTERN = 4
    OPENCL_WORK_GROUP_LOCAL = 5
    AUTO = 6
    REGISTER = 7


class AddressSpace:
    """Address-space numbers that ``clang_getAddressSpace`` gives for OpenCL types (clang's ``LangAS``)."""

    DEFAULT = 0
    OPENCL_GLOBAL = 1
    OPENCL_LOCAL = 2
    OPENCL_CONSTANT = 3
    OPENCL_PRIVATE = 4
    OPENCL_GENERIC = 5


class EvalKind:
    """``CXEvalResultKind``: what ``clang_Cursor_Evaluate`` found."""

    UNEXPOSED = 0
    INT = 1
    FLOAT = 2
    OBJC_STRING_LITERAL = 3
    STRING_LITERAL = 4
    CF_STRING = 5
    OTHER = 6


class TemplateArgumentKind:
    """``CXTemplateArgumentKind``."""

    NULL = 0
    TYPE = 1
    DECLARATION = 2
    NULL_PTR = 3
    INTEGRAL = 4
    TEMPLATE = 5
    TEMPLATE_EXPANSION = 6
    EXPRESSION = 7
    PACK = 8
    INVALID = 9


class ChildVisit:
    """``CXChildVisitResult``: what a visitor asks for."""

    BREAK = 0
    CONTINUE = 1
    RECURSE = 2


class ParseFlag(IntFlag):
    """``CXTranslationUnit_Flags`` in use."""

    NONE = 0x0
    DETAILED_PREPROCESSING_RECORD = 0x01
    INCOMPLETE = 0x02
    FOR_SERIALIZATION = 0x10
    KEEP_GOING = 0x200


class Severity(IntEnum):
    """``CXDiagnosticSeverity``."""

    IGNORED = 0
    NOTE = 1
    WARNING = 2
    ERROR = 3
    FATAL = 4


def kind_name(kind: int) -> str:
    """Name of a cursor kind (``CALL_EXPR``), for messages; the number when it is none of those listed."""
    return next((name for name, value in vars(CursorKind).items() if value == kind and name.isupper()), str(kind))
