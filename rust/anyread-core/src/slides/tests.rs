//! Tests of slides.
