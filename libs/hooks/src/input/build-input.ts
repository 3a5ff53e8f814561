import type { JsonObject, JsonValue } from '@phaseline/basics';
import type { MatchedInput } from '../settings/select-handlers.js';
import { getDirectory, showCall } from '../tools/show-call.js';
import { showResponse, type OwnResult } from '../tools/show-response.js';
import type { CallSurroundings, OwnCall } from '../tools/tool-call.js';

/** What all hooks of a phase are told. */
export interface HookSession {
  /** Names the job. */
  readonly sessionId: string;
  /** Where hooks find the conversation of the phase. */
  readonly transcriptPath: string;
  /** The working directory as hooks see it. */
  readonly root: string;
  /** Set for a phase of another agent than the job's own, and for a child job: its stream, and the name of its agent. */
  readonly agent?: { readonly id: string; readonly type: string } | undefined;
  /** How much the model reasons, where the agent says it. */
  readonly effort?: string | undefined;
}

/** A call that hooks are asked about. */
interface HookCall extends OwnCall {
  readonly id: string;
}

/** What happened, in our terms. */
export type HookOccasion =
  | { readonly point: 'SessionStart'; readonly source: 'startup' | 'resume' | 'fork'; readonly model?: string }
  | { readonly point: 'UserPromptSubmit'; readonly prompt: string }
  | {
      readonly point: 'PreToolUse' | 'PermissionRequest';
      readonly call: HookCall;
      readonly readText: CallSurroundings['readText'];
    }
  | {
      readonly point: 'PostToolUse';
      readonly call: HookCall;
      /** Files as they are after the call. */
      readonly readText: CallSurroundings['readText'];
      readonly result: OwnResult;
      readonly durationMs?: number;
    }
  | {
      readonly point: 'PostToolUseFailure';
      readonly call: HookCall;
      readonly readText: CallSurroundings['readText'];
      readonly error: string;
      readonly durationMs?: number;
    }
  | {
      readonly point: 'TaskCompleted';
      readonly task: { readonly id: string; readonly subject: string; readonly description?: string };
    }
  | {
      readonly point: 'Stop' | 'SubagentStop';
      /** Whether the previous end of this phase was refused by a hook. */
      readonly isRepeated: boolean;
      readonly lastMessage?: string;
    }
  | { readonly point: 'PreCompact' }
  | { readonly point: 'SessionEnd' }
  | { readonly point: 'Notification'; readonly message: string; readonly title?: string; readonly type: string };

/** The input of a hook, which it reads as JSON from its standard input. */
export type HookInput = MatchedInput & JsonObject;

/** Builds what a hook reads at a hook point, with the members that the protocol declares for it. */
export function buildHookInput(session: HookSession, occasion: HookOccasion): HookInput {
  const { sessionId, transcriptPath, root, agent, effort } = session;
  const cwd = 'call' in occasion ? getDirectory(occasion.call, root) : root;
  return {
    session_id: sessionId,
    transcript_path: transcriptPath,
    cwd,
    permission_mode: 'default',
    hook_event_name: occasion.point,
    ...(agent ? { agent_id: agent.id, agent_type: agent.type } : {}),
    ...(effort === undefined ? {} : { effort: { level: effort } }),
    ...withoutAbsent(buildMembers(session, occasion)),
  };
}

type Members = Readonly<Record<string, JsonValue | undefined>>;

function buildMembers({ root, transcriptPath }: HookSession, occasion: HookOccasion): Members {
  switch (occasion.point) {
    case 'SessionStart':
      return { source: occasion.source, model: occasion.model };
    case 'UserPromptSubmit':
      return { prompt: occasion.prompt };
    case 'PreToolUse':
      return { ...showTool(root, occasion), tool_use_id: occasion.call.id };
    case 'PermissionRequest':
      return showTool(root, occasion);
    case 'PostToolUse':
      return {
        ...showTool(root, occasion),
        tool_use_id: occasion.call.id,
        tool_response: showResponse(occasion.call, occasion.result, { root, readText: occasion.readText }),
        duration_ms: occasion.durationMs,
      };
    case 'PostToolUseFailure':
      return {
        ...showTool(root, occasion),
        tool_use_id: occasion.call.id,
        error: occasion.error,
        is_interrupt: false,
        duration_ms: occasion.durationMs,
      };
    case 'TaskCompleted':
      return {
        task_id: occasion.task.id,
        task_subject: occasion.task.subject,
        task_description: occasion.task.description,
      };
    case 'Stop':
      return { stop_hook_active: occasion.isRepeated, last_assistant_message: occasion.lastMessage };
    case 'SubagentStop':
      return {
        stop_hook_active: occasion.isRepeated,
        last_assistant_message: occasion.lastMessage,
        agent_transcript_path: transcriptPath,
      };
    case 'PreCompact':
      return { trigger: 'auto', custom_instructions: '' };
    case 'SessionEnd':
      return { reason: 'other' };
    case 'Notification':
      return { message: occasion.message, title: occasion.title, notification_type: occasion.type };
  }
}

interface AboutCall {
  readonly call: HookCall;
  readonly readText: CallSurroundings['readText'];
}

function showTool(root: string, { call, readText }: AboutCall): Members {
  const { tool, input } = showCall(call, { root, readText });
  const server = /^mcp__(.+?)__/.exec(tool)?.[1];
  return { tool_name: tool, tool_input: input, mcp_server: server };
}

function withoutAbsent(members: Members): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}
