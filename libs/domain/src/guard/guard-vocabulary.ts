/** Moments at which guards are asked, named as in the hook protocol of Claude Code. */
export const hookPoints = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'TaskCompleted',
  'Stop',
  'SubagentStop',
  'PreCompact',
  'SessionEnd',
  'Notification',
] as const;
export type HookPoint = (typeof hookPoints)[number];

/** How a guard decides: from data, with a function, with a command in the sandbox, or with a model call. */
export const guardKinds = ['rule', 'script', 'command', 'judge'] as const;

/** Where a guard applies, highest first: in the installation, in a tenant, in one agent. */
export const guardScopes = ['system', 'tenant', 'agent'] as const;

/** How far a guard is introduced: not run, tried on recorded calls, recorded without effect, or in effect. */
export const guardStages = ['draft', 'backtest', 'shadow', 'production'] as const;

/** What a guard can decide. `context` adds a text for the model and changes nothing else. */
export const guardDecisions = ['allow', 'deny', 'ask', 'amend', 'context'] as const;
export type GuardDecisionKind = (typeof guardDecisions)[number];

/** Hook points about one call of a tool. */
export const CALL_POINTS: ReadonlySet<HookPoint> = new Set([
  ...(['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure'] as const),
]);

/** What guards can do at each hook point besides allowing. */
export const pointEffects: Readonly<Record<HookPoint, readonly Exclude<GuardDecisionKind, 'allow'>[]>> = {
  SessionStart: ['context'],
  UserPromptSubmit: ['deny', 'context'],
  PreToolUse: ['deny', 'ask', 'amend', 'context'],
  PermissionRequest: ['deny', 'amend'],
  PostToolUse: ['amend', 'context'],
  PostToolUseFailure: ['context'],
  TaskCompleted: ['deny'],
  Stop: ['deny'],
  SubagentStop: ['deny'],
  PreCompact: ['deny'],
  SessionEnd: [],
  Notification: [],
};
