export { readableTokens } from './answer/answer-meter.js';
export { foldChunks, foldWholeAnswer } from './answer/fold-chunks.js';
export type { FoldedAnswer, FoldOptions } from './answer/fold-chunks.js';
export type { ChatDelta, ChatModel, CompleteOptions, RetryNotice } from './chat-model.js';
export { instantModel } from './instant-model.js';
export type { InstantAnswer } from './instant-model.js';
export { isOutage, ModelError, modelErrorCodes } from './model-error.js';
export type { ModelErrorCode, ModelErrorDetails } from './model-error.js';
export { createOpenAiModel } from './openai-model.js';
export type { OpenAiModelOptions } from './openai-model.js';
export { costMicroUsd, worstCaseMicroUsd } from './profile/cost.js';
export { discoverContextTokens } from './profile/discover-context-tokens.js';
export type { DiscoverOptions } from './profile/discover-context-tokens.js';
export { modelProfileSchema } from './profile/model-profile.js';
export type { ModelPrices, ModelProfile, ModelTimeouts, RetryPolicy } from './profile/model-profile.js';
export { REHEARSAL_MODEL } from './rehearsal/answer-chunks.js';
export type { RehearsalFault } from './rehearsal/faults.js';
export { anyAgent } from './rehearsal/policies/any-agent/any-agent.js';
export { creator } from './rehearsal/policies/creator/creator.js';
export { validator } from './rehearsal/policies/validator/validator.js';
export { summary } from './rehearsal/policies/summary.js';
export { echo } from './rehearsal/policies/echo.js';
export { scripted } from './rehearsal/policies/scripted.js';
export type { ScriptedTurn } from './rehearsal/policies/scripted.js';
export { RehearsalFailure } from './rehearsal/rehearsal-policy.js';
export type {
  RehearsalAnswer,
  RehearsalCall,
  RehearsalPolicy,
  RehearsalRequest,
  WireMessage,
  WireTool,
} from './rehearsal/rehearsal-policy.js';
export { startRehearsalServer } from './rehearsal/rehearsal-server.js';
export type { RehearsalServer, RehearsalServerOptions } from './rehearsal/rehearsal-server.js';
export type { EndpointOptions } from './transport/endpoint.js';
export { mayTryAgain, withRetries } from './transport/retry.js';
export type { RetryOptions } from './transport/retry.js';
export { toWireMessages } from './wire/wire-messages.js';
