"""Chat models that a policy is set beside."""

from __future__ import annotations

from contextlib import ExitStack

from leafward.errors import SettingsError
from leafward.library.session import Session
from leafward.library.training.comparing import Opened
from leafward.library.training.setting import Setting
from leafward.library.writing import kept_answers
from leafward.models import Stop
from leafward.protocols import ChatModel
from leafward.settings import Settings
from leafward.training.recipe import OtherSpec


def opener(setting: Setting, settings: Settings, closing: ExitStack, stop: Stop) -> Opened:
    """Opens models over the user's cache of answers; ``closing`` closes them and the cache."""
    cache = closing.enter_context(kept) if (kept := kept_answers(settings)) else None

    def chat(other: OtherSpec) -> ChatModel:
        session = Session(settings, other.model, settings.embedder, cache, stop)
        closing.callback(lambda: setting.call(session.aclose))
        if session.chat is None:
            raise SettingsError(
                f"no model is called {other.model!r}", hint="name it as PROVIDER:MODEL"
            )
        return session.chat

    return chat
