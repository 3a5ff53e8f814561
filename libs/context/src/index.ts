export { buildPrompt, requestHash } from './build-prompt.js';
export { resultsOverLimit, resultsToClear } from './clear-results.js';
export type { Clearing, ReasoningClearing } from './clear-results.js';
export { planSummary, promptRoom, summaryLimit } from './summarise.js';
export type { SummaryPlan } from './summarise.js';
export type { Prompt, PromptInput, TokenLedger } from './build-prompt.js';
export { countTokens } from './count-tokens.js';
export { messageTokens, promptTokens } from './prompt-tokens.js';
export { todoBox } from './todo-box.js';
