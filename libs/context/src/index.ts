export { buildPrompt } from './build-prompt.js';
export type { Prompt, PromptInput, TokenLedger } from './build-prompt.js';
export { countTokens } from './count-tokens.js';
export { todoBox } from './todo-box.js';
