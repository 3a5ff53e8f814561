import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@phaseline/basics';
import type { ChatMessage } from '@phaseline/contracts';
import { showCall } from '../tools/show-call.js';
import type { CallSurroundings } from '../tools/tool-call.js';

interface TranscriptTerms {
  /** Names the job; the ids of the lines are derived from it. */
  readonly sessionId: string;
  /** The working directory as hooks see it. */
  readonly root: string;
}

/**
 * Renders the conversation of a phase as the transcript that hooks read: one line of JSON per message, with tools under the names of the protocol.
 * System messages are left out, as in the transcripts that scripts know. The same conversation always gives the same text.
 */
export function renderTranscript(messages: readonly ChatMessage[], { sessionId, root }: TranscriptTerms): string {
  // Files may have changed since a call, so a line shows only what the call itself says.
  const surroundings: CallSurroundings = { root, readText: () => undefined };
  let parent: string | null = null;
  const lines: string[] = [];
  for (const [index, message] of messages.entries()) {
    const content = renderContent(message, surroundings);
    if (content === undefined) continue;
    const uuid = deriveId(`${sessionId}:${index}`);
    const type = message.role === 'assistant' ? 'assistant' : 'user';
    const line = { type, uuid, parentUuid: parent, sessionId, cwd: root, message: { role: type, content } };
    lines.push(`${JSON.stringify(line)}\n`);
    parent = uuid;
  }
  return lines.join('');
}

function renderContent(message: ChatMessage, surroundings: CallSurroundings): JsonValue | undefined {
  switch (message.role) {
    case 'system':
      return undefined;
    case 'user':
      return message.content;
    case 'tool':
      return [{ type: 'tool_result', tool_use_id: message.callId, content: message.content }];
    case 'assistant': {
      const calls = message.toolCalls ?? [];
      return [
        ...(message.content === '' ? [] : [{ type: 'text', text: message.content }]),
        ...calls.map((call): JsonObject => {
          const { tool, input } = showCall({ tool: call.name, args: parseArguments(call.arguments) }, surroundings);
          return { type: 'tool_use', id: call.id, name: tool, input };
        }),
      ];
    }
  }
}

function parseArguments(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** An id in the form of a UUID. */
function deriveId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
