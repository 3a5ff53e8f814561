/** All fault points with the state of the system at each, in the order in which a job reaches them. */
const FAULT_POINTS = {
  'follow-on.formed': 'a batch of the cache is stored; the job for it is not submitted',
  'follow-on.submitted': 'the job for a batch of the cache is submitted; the batch does not say so yet',
  'delegation.registered': 'a child job is registered; it is not submitted',
  'delegation.recorded': 'the end of a child job is in the parent; its phase was not dispatched',
  'submission.before-append': 'a request was read; nothing of it is in the log',
  'submission.after-append': 'JobSubmitted is in the log; the caller has no response',

  'orchestrator.decided': 'a decision was made; it is not in the log',
  'orchestrator.before-dispatch': 'PhaseDispatched and PhaseStarted are in the log; no message was sent',
  'orchestrator.after-dispatch': 'the message was sent; the checkpoint was not moved',
  'reconciler.before-send': 'an idle phase was found; the messages that it waits for were not sent',

  'queue.taken': 'a message was taken; its handler has not begun',
  'queue.offered': 'messages were handed over; the processes that got them have not answered',
  'queue.handed-over':
    'a message that was handed over was taken; its sender has no answer, and its handler has not begun',
  'queue.before-acknowledge': 'the handler has ended; the message was not acknowledged',

  'worker.taken': 'a worker took a phase; nothing was read',
  'worker.before-pickup': 'the phase was read; neither its next call nor a takeover is in the log',
  'worker.before-model-call': 'ModelCallStarted is in the log; the model was not called',
  'worker.during-model-call': 'a part of the response was received',
  'worker.before-append': 'the whole response was received; it is not in the log',
  'worker.before-send': 'the response with its tool calls is in the log; no tool call was sent',
  'worker.after-send': 'the tool calls were sent; the phase was not released',
  'worker.claim-raised': 'a claim is open in the log with its runs; none of them was sent',
  'worker.claim-due': 'a claim was decided; the decision is not in the log',

  'tool.taken': 'a tool-runner took a call; nothing was read',
  'tool.before-start': 'a `once` call is about to be started; ToolCallStarted is not in the log',
  'tool.after-start': 'ToolCallStarted is in the log; the tool has not begun',
  'tool.before-effect': 'the tool runs; its effect has not happened (only in tools of the chaos run)',
  'tool.after-effect': 'the effect has happened; the tool has not ended (only in tools of the chaos run)',
  'tool.during-repeatable': 'a `pure` or `idempotent` tool runs (only in tools of the chaos run)',
  'tool.during-command': 'a command has written a part of its files and runs (only in commands of the chaos run)',
  'tool.after-command': 'the command has ended; its files were not taken in (only in commands of the chaos run)',
  'tool.during-guard': 'a hook runs (only in hooks of the chaos run)',
  'tool.during-verifier': 'a verifier runs (only in verifiers of the chaos run)',
  'tool.before-append': 'the tool has ended; its result is not in the log',
  'tool.before-wake': 'the result is in the log; the phase was not sent back to its worker',
  'tool.handed-over': 'the result was offered to the worker of the phase; it is in no log and no queue',
  'tool.after-wake': 'the phase was sent back; the message of the call was not acknowledged',

  'repository.during-import': 'the files of the commit are stored; its `.git` folder is not, and nothing is in the log',
  'repository.during-output': 'the commits of an output were made; nothing has left the system',
  'repository.after-push': 'the branch was pushed; no pull request was opened, and nothing is in the log',
  'repository.before-append': 'the work has ended; its outcome is not in the log',
  'repository.after-append': 'the outcome is in the log; the message was not acknowledged',

  'cold-storage.made': 'the archive of a job was made; it is not stored',
  'cold-storage.stored': 'the archive is stored; it was not verified',
  'cold-storage.verified': 'the stored archive was verified; nothing of the move is in the log',
  'cold-storage.appended': 'the event of the move is in the open transaction; no row was dropped',
  'cold-storage.dropped': 'the rows are dropped in the open transaction',
  'cold-storage.committed': 'the move is committed; its outcome was not reported',
} as const;

export type FaultPointName = keyof typeof FAULT_POINTS;

export const faultPointNames = Object.keys(FAULT_POINTS) as readonly FaultPointName[];
