/**
 * Names of the OpenTelemetry conventions for generative AI, copied from `@opentelemetry/semantic-conventions/incubating` 1.45.0: they are
 * not stable, so a new version of that package must not rename what this system writes.
 */
export const genAi = {
  operationName: 'gen_ai.operation.name',
  providerName: 'gen_ai.provider.name',
  conversationId: 'gen_ai.conversation.id',
  workflowName: 'gen_ai.workflow.name',
  agentName: 'gen_ai.agent.name',
  requestModel: 'gen_ai.request.model',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  responseFinishReasons: 'gen_ai.response.finish_reasons',
  responseTimeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteInputTokens: 'gen_ai.usage.cache_creation.input_tokens',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  toolType: 'gen_ai.tool.type',
  /** Contents; written only when they are asked for. */
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
} as const;

/** Other names of the OpenTelemetry conventions, copied from `@opentelemetry/semantic-conventions` 1.45.0. */
export const semantic = {
  errorType: 'error.type',
  httpMethod: 'http.request.method',
  httpResendCount: 'http.request.resend_count',
  httpRoute: 'http.route',
  httpStatus: 'http.response.status_code',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  messagingSystem: 'messaging.system',
  messagingDestination: 'messaging.destination.name',
  messagingOperationName: 'messaging.operation.name',
  messagingOperationType: 'messaging.operation.type',
  messagingMessageId: 'messaging.message.id',
} as const;

/** Names of this system. */
export const own = {
  jobId: 'phaseline.job.id',
  jobStatus: 'phaseline.job.status',
  tenant: 'phaseline.tenant',
  phaseNumber: 'phaseline.phase.number',
  phaseState: 'phaseline.phase.state',
  phaseKind: 'phaseline.phase.kind',
  phaseOutcome: 'phaseline.phase.outcome',
  step: 'phaseline.step',
  callPurpose: 'phaseline.model_call.purpose',
  costMicroUsd: 'phaseline.cost_micro_usd',
  toolLane: 'phaseline.tool.lane',
  toolStatus: 'phaseline.tool.status',
  toolAttempts: 'phaseline.tool.attempts',
  /** The verifier or judge of a call that the system made. */
  checkName: 'phaseline.check.name',
  events: 'phaseline.log.events',
  appendOutcome: 'phaseline.log.outcome',
  deliveryOutcome: 'phaseline.delivery.outcome',
} as const;
