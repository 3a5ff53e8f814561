export { PROMPT_BUILDER } from './prompt-builder.js';
export { buildPrompt, hashRequest } from './build-prompt.js';
export { selectResultsOverLimit, selectResultsToClear } from './clear-results.js';
export type { Clearing } from './clear-results.js';
export { planSummary, computePromptRoom, computeSummaryLimit } from './summarise.js';
export type { SummaryPlan } from './summarise.js';
export type { Prompt } from './build-prompt.js';
export { countTokens } from './count-tokens.js';
export { countMessageTokens, countPromptTokens } from './count-prompt-tokens.js';
