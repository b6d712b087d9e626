//! Fills the slots of frozen result classes without running a Python `__init__`.
//!
//! A frozen dataclass sets each field through `object.__setattr__`, called from Python, which takes a third
//! of the time of a small read. Here the instance is allocated, and the values are stored at the offsets of
//! its slots, as their descriptors would do after several checks.

use std::ffi::CStr;

use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// A class and its slots, in the order of the values that fill them.
pub struct Slots<const COUNT: usize> {
    class: Py<PyType>,
    slots: [ClassSlot; COUNT],
}

/// One slot of a class.
struct ClassSlot {
    descriptor: Py<PyAny>,
    /// The function that sets it by its descriptor.
    setter: ffi::descrsetfunc,
    /// Where it is in an instance, in bytes; `None` if the interpreter does not say so.
    offset: Option<usize>,
}

impl<const COUNT: usize> Slots<COUNT> {
    /// Looks up the slots with these names in `class` and its bases.
    pub fn of(class: Bound<'_, PyType>, names: [&str; COUNT]) -> PyResult<Self> {
        let mut slots = Vec::with_capacity(COUNT);
        for name in names {
            let descriptor = class.getattr(name)?;
            // SAFETY: the type of a live object is live, and according to the C API the slot
            // `Py_tp_descr_set` contains a `descrsetfunc` or NULL.
            let setter = unsafe {
                let setter = ffi::PyType_GetSlot(descriptor.get_type().as_type_ptr(), ffi::Py_tp_descr_set);
                std::mem::transmute::<*mut std::ffi::c_void, Option<ffi::descrsetfunc>>(setter)
            };
            let setter =
                setter.ok_or_else(|| PyRuntimeError::new_err(format!("`{name}` of {class} is no slot")))?;
            let slot = ClassSlot { descriptor: descriptor.unbind(), setter, offset: offset(&class, name)? };
            slots.push(slot);
        }
        let slots = slots.try_into().map_err(|_| PyRuntimeError::new_err("slots got lost"))?;
        Ok(Self { class: class.unbind(), slots })
    }

    /// Creates an instance with these values in its slots.
    pub fn fill<'py>(
        &self,
        py: Python<'py>,
        values: [Bound<'py, PyAny>; COUNT],
    ) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the class is a heap type from a class statement with base `object`, for which the generic
        // allocator is the one in `tp_alloc`; it returns a new reference or NULL with an exception set.
        let object = unsafe {
            let object = ffi::PyType_GenericAlloc(self.class.bind(py).as_type_ptr(), 0);
            Bound::from_owned_ptr_or_opt(py, object)
        };
        let object = object.map_or_else(|| Err(fetch(py)), Ok)?;
        for (slot, value) in self.slots.iter().zip(values) {
            let Some(offset) = slot.offset else {
                // SAFETY: the three pointers are live objects to which we own references, the setter is that
                // of the descriptor's type, and it checks that the descriptor belongs to the object's class.
                let status =
                    unsafe { (slot.setter)(slot.descriptor.as_ptr(), object.as_ptr(), value.as_ptr()) };
                if status != 0 {
                    return Err(fetch(py));
                }
                continue;
            };
            // SAFETY: the class itself has a member of type `Py_T_OBJECT_EX` at this offset, which holds an
            // owned reference or NULL. It is NULL, because the instance is new and nothing else refers to it.
            unsafe { object.as_ptr().byte_add(offset).cast::<*mut ffi::PyObject>().write(value.into_ptr()) };
        }
        Ok(object)
    }
}

/// Where a slot of `class` or one of its bases is in an instance, in bytes.
fn offset(class: &Bound<'_, PyType>, name: &str) -> PyResult<Option<usize>> {
    for base in class.mro() {
        let base = base.cast_into::<PyType>()?;
        // SAFETY: the slot `Py_tp_members` of a live type contains NULL or an array that lives as long as the
        // type, and ends with a member without a name.
        unsafe {
            let members = ffi::PyType_GetSlot(base.as_type_ptr(), ffi::Py_tp_members);
            let mut member = members.cast::<ffi::PyMemberDef>();
            while !member.is_null() && !(*member).name.is_null() {
                if CStr::from_ptr((*member).name).to_bytes() == name.as_bytes() {
                    let is_plain = (*member).type_code == ffi::Py_T_OBJECT_EX && (*member).flags == 0;
                    return Ok(usize::try_from((*member).offset).ok().filter(|_| is_plain));
                }
                member = member.add(1);
            }
        }
    }
    Ok(None)
}

fn fetch(py: Python<'_>) -> PyErr {
    PyErr::take(py).unwrap_or_else(|| PyRuntimeError::new_err("an instance could not be filled"))
}
