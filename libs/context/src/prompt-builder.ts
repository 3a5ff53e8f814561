/**
 * Version of the code that builds prompts, recorded with every model call, so that a reader of the log knows which code rebuilds the
 * same prompt. Raise it with every change of a prompt's text or order; a spec fails otherwise. A section for members of events that older releases
 * cannot read changes no prompt that exists; raising the version for it would make every recorded model call a difference in a check of a release.
 */
export const PROMPT_BUILDER = 4;
