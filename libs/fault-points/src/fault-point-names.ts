/** Every fault point: where it stands, in the order in which a job passes them. */
export const FAULT_POINTS = {
  'submission.before-append': 'a request was read; nothing of it is in the log',
  'submission.after-append': 'JobSubmitted is in the log; the caller has no answer',

  'orchestrator.decided': 'a decision was made; it is not in the log',
  'orchestrator.before-dispatch': 'PhaseDispatched and PhaseStarted are in the log; no message was sent',
  'orchestrator.after-dispatch': 'the message was sent; the checkpoint was not moved',
  'reconciler.before-send': 'an idle phase was found; the messages that it waits for were not sent',

  'queue.taken': 'a message was taken; its handler has not begun',
  'queue.before-settle': 'the handler has ended; the queue was not told',

  'worker.taken': 'a worker took a phase; nothing was read',
  'worker.before-pickup': 'the phase was read; neither its next call nor a take-over is in the log',
  'worker.before-model-call': 'ModelCallStarted is in the log; the model was not asked',
  'worker.during-model-call': 'a part of the answer came',
  'worker.before-append': 'the whole answer came; it is not in the log',
  'worker.before-send': 'the answer with its tool calls is in the log; no tool call was sent',
  'worker.after-send': 'the tool calls were sent; the phase was not let go',

  'tool.taken': 'a tool-runner took a call; nothing was read',
  'tool.before-start': 'a `once` call is about to be started; ToolCallStarted is not in the log',
  'tool.after-start': 'ToolCallStarted is in the log; the tool has not begun',
  'tool.before-effect': 'the tool runs; its effect did not happen (only tools of the chaos run tell)',
  'tool.after-effect': 'the effect happened; the tool has not ended (only tools of the chaos run tell)',
  'tool.during-repeatable': 'a `pure` or `idempotent` tool runs (only tools of the chaos run tell)',
  'tool.before-append': 'the tool has ended; its result is not in the log',
  'tool.before-wake': 'the result is in the log; the phase was not sent back to its worker',
  'tool.after-wake': 'the phase was sent back; the queue was not told that the call is done',
} as const;

export type FaultPointName = keyof typeof FAULT_POINTS;

export const faultPointNames = Object.keys(FAULT_POINTS) as readonly FaultPointName[];
