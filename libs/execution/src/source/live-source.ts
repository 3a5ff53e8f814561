import type { ResponseSource } from '../ports.js';

/** Calls the model and runs the tools. Approvals are decided by people. */
export const liveSource: ResponseSource = {
  findModel: (_state, find) => find(),
  prepareCall: (_commit, prompts) => prompts.shortenAndBuild(),
  respond: (_state, callModel) => callModel(),
  decideCallGuards: (_state, _moment, ask) => ask(),
  decideGuards: (_state, _moment, ask) => ask(),
  decideApprovals: () => undefined,
  runInlineCall: (_commit, _call, run) => run(),
  judge: (_commit, _call, reserve) => reserve(),
  reflect: (_commit, reserve) => reserve(),
  runRemoteCall: (_state, _call, run) => run(),
  archiveTodos: (_commit, write) => write(),
  refreshMemory: (_commit, write) => write(),
  findWriteTime: () => undefined,
};
