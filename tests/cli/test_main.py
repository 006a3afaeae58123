def test_what_is_loaded_is_never_looked_through_for_garbage_again() -> None:
    frozen = gc.get_freeze_count()
    try:
        with loading():
            assert not gc.isenabled()
            loaded = [[] for _ in range(1000)]  # type: ignore[var-annotated]
        assert gc.isenabled()
        assert gc.get_freeze_count() >= frozen + len(loaded)
    finally:
        gc.unfreeze()


def test_the_collector_stays_off_where_it_was_off() -> None:
    gc.disable()
    try:
        with loading():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
        gc.unfreeze()
