import { hookPoints, type CommandBody, type HookPoint } from '@phaseline/domain';

/** Events of the protocol that have no hook point here, with the reason. A hook for one of them never fires. */
export const unsupportedEvents: Readonly<Record<string, string>> = {
  PostToolBatch: 'calls are guarded one by one',
  PermissionDenied: 'a denied call is not asked for again',
  UserPromptExpansion: 'there are no prompt commands',
  StopFailure: 'a failed model call is retried by the system',
  SubagentStart: 'a phase of another agent fires SessionStart',
  PostCompact: 'nothing can change a summary that was made',
  PreModelSwitch: 'models change only between phases',
  PostModelSwitch: 'models change only between phases',
  TaskCreated: 'todos come from the plan',
  TeammateIdle: 'no agent waits for another',
  ConfigChange: 'a job keeps the configuration that it began with',
  CwdChanged: 'the working directory never changes',
  FileChanged: 'no program watches the files of a phase',
  DirectoryAdded: 'a phase has one working directory',
  InstructionsLoaded: 'instructions are part of the agent',
  Elicitation: 'MCP servers ask nobody here',
  ElicitationResult: 'MCP servers ask nobody here',
  WorktreeCreate: 'a job has one working directory',
  WorktreeRemove: 'a job has one working directory',
  MessageDisplay: 'answers are not displayed while they arrive',
  Setup: 'the machine is set up by its operator',
};

interface PointRules {
  /** Member of the input that a matcher is compared with. Without it, the matcher is ignored. */
  readonly matched?: string;
  /** What exit code 2 does: blocks, gives stderr to the model, shows it to people, or nothing. */
  readonly exit2: 'block' | 'model' | 'people' | 'nothing';
  /** Whether a guard can refuse here at all. */
  readonly canDeny: boolean;
  /** Whether `decision: "block"` at the top level is read. */
  readonly readsBlock: boolean;
  /** Whether plain text on stdout with exit code 0 is context. */
  readonly readsPlainText: boolean;
  /** Whether `additionalContext` is read. */
  readonly readsContext: boolean;
  /** Seconds after which a hook is ended, unless it sets its own time. */
  readonly timeoutSeconds: number;
}

/** Seconds for one guard. The protocol allows 600, which is too long for a call that a job waits for. */
const SHORT_SECONDS = 10;
/** Seconds where a hook may run the tests of a project. */
const LONG_SECONDS = 600;

const observes = {
  exit2: 'people',
  canDeny: false,
  readsBlock: false,
  readsPlainText: false,
  readsContext: false,
  timeoutSeconds: SHORT_SECONDS,
} as const satisfies PointRules;
const ends = {
  exit2: 'block',
  canDeny: true,
  readsBlock: true,
  readsPlainText: false,
  readsContext: true,
  timeoutSeconds: LONG_SECONDS,
} as const satisfies PointRules;

/** How the protocol treats each hook point. */
export const pointRules: Readonly<Record<HookPoint, PointRules>> = {
  SessionStart: { ...observes, matched: 'source', readsPlainText: true, readsContext: true },
  UserPromptSubmit: { ...ends, readsPlainText: true, timeoutSeconds: SHORT_SECONDS },
  PreToolUse: { ...ends, matched: 'tool_name', timeoutSeconds: SHORT_SECONDS },
  PermissionRequest: {
    ...observes,
    matched: 'tool_name',
    exit2: 'nothing',
    canDeny: true,
  },
  PostToolUse: { ...observes, matched: 'tool_name', exit2: 'model', readsBlock: true, readsContext: true },
  PostToolUseFailure: { ...observes, matched: 'tool_name', exit2: 'model', readsBlock: true, readsContext: true },
  TaskCompleted: { ...ends, readsBlock: false, readsContext: false },
  Stop: ends,
  SubagentStop: { ...ends, matched: 'agent_type' },
  PreCompact: { ...ends, matched: 'trigger', readsContext: false, timeoutSeconds: SHORT_SECONDS },
  SessionEnd: { ...observes, matched: 'reason' },
  Notification: { ...observes, matched: 'notification_type', exit2: 'nothing', readsContext: true },
};

/** Whether a hook that fails denies: unless its settings say otherwise, wherever something can be denied. */
export function deniesOnFailure({ point, onFailure }: Pick<CommandBody['handler'], 'point' | 'onFailure'>): boolean {
  return onFailure === 'deny' && pointRules[point].canDeny;
}

/** The points whose input is about one tool call. */
export const toolPoints: ReadonlySet<HookPoint> = new Set([
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
]);

export function isHookPoint(name: string): name is HookPoint {
  return (hookPoints as readonly string[]).includes(name);
}
