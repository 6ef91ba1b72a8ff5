"""Every operation that the product knows, by its name."""

from __future__ import annotations

from typing import Final

from pytest_applegpu.forms.attention import SDPA
from pytest_applegpu.forms.convolution import CONV1D, CONV2D
from pytest_applegpu.forms.dense import ADDMM, MATMUL
from pytest_applegpu.forms.form import Form
from pytest_applegpu.forms.gathered import GATHER_MM
from pytest_applegpu.forms.layers import LINEAR, QUANTIZED_LINEAR
from pytest_applegpu.forms.masked import BLOCK_MASKED_MM
from pytest_applegpu.forms.multihead import MULTI_HEAD_ATTENTION
from pytest_applegpu.forms.packing import DEQUANTIZE, QQMM, QUANTIZE
from pytest_applegpu.forms.quantized import GATHER_QMM, QUANTIZED_MATMUL
from pytest_applegpu.forms.segmented import SEGMENTED_MM

FORMS: Final[dict[str, Form]] = {
    form.name: form
    for form in (
        MATMUL,
        ADDMM,
        GATHER_MM,
        BLOCK_MASKED_MM,
        SEGMENTED_MM,
        QUANTIZED_MATMUL,
        GATHER_QMM,
        QUANTIZE,
        DEQUANTIZE,
        QQMM,
        SDPA,
        CONV1D,
        CONV2D,
        LINEAR,
        QUANTIZED_LINEAR,
        MULTI_HEAD_ATTENTION,
    )
}
