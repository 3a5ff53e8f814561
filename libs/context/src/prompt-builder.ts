/**
 * Version of the code that builds prompts, recorded with every model call, so that a reader of the log knows which code rebuilds the
 * same prompt. Raise it with every change of a prompt's text or order; a spec fails otherwise.
 */
export const PROMPT_BUILDER = 4;
