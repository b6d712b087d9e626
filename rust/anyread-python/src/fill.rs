//! Fills the slots of frozen result classes without running a Python `__init__`.
//!
//! A frozen dataclass sets each field through `object.__setattr__`, called from Python, which takes a third
//! of the time of a small read. Here the instance is allocated, and its slots are set directly by their
//! descriptors.

use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// A class and its slots, in the order of the values that fill them.
pub struct Slots<const COUNT: usize> {
    class: Py<PyType>,
    slots: [(Py<PyAny>, ffi::descrsetfunc); COUNT],
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
            slots.push((descriptor.unbind(), setter));
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
        for ((descriptor, setter), value) in self.slots.iter().zip(values) {
            // SAFETY: the three pointers are live objects to which we own references, the setter is that of
            // the descriptor's type, and it checks that the descriptor belongs to the object's class.
            let status = unsafe { setter(descriptor.as_ptr(), object.as_ptr(), value.as_ptr()) };
            if status != 0 {
                return Err(fetch(py));
            }
        }
        Ok(object)
    }
}

fn fetch(py: Python<'_>) -> PyErr {
    PyErr::take(py).unwrap_or_else(|| PyRuntimeError::new_err("an instance could not be filled"))
}
