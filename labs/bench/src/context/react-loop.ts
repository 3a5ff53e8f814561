import type { ChatMessage, ChatRequest } from '@phaseline/contracts';
import { clipResult } from '@phaseline/tools';
import type { WorkRun } from './run-work.js';

/** Most loops of this kind truncate results at about this length; without truncation the comparison would be too favourable. */
const MAX_RESULT_CHARACTERS = 24_000;

/**
 * Builds the requests of a plain ReAct loop that does the same work: one system prompt and all answers and results so far, nothing
 * removed. The transcript is that of the run, with full results instead of previews and notes.
 */
export function buildReactRequests(run: WorkRun): ChatRequest[] {
  const first = run.calls.find(({ request }) => request.tools.length > 0)!.request;
  const tools = [
    ...new Map(run.calls.flatMap(({ request }) => request.tools).map((tool) => [tool.name, tool])).values(),
  ];
  const messages: ChatMessage[] = [
    first.messages[0]!,
    { role: 'user', content: 'Work through the corpus until everything is read and noted.' },
  ];
  const results = new Map(
    run.events.flatMap((event) =>
      event.type === 'ToolCallCompleted' ? [[event.data.callId, event.data.content]] : [],
    ),
  );
  return run.events.flatMap((event): ChatRequest[] => {
    if (event.type !== 'ModelResponded') return [];
    const request = { messages: [...messages], tools };
    const { content, calls } = event.data;
    messages.push({
      role: 'assistant',
      content,
      toolCalls: calls.map((call) => ({
        id: call.callId,
        name: call.name,
        arguments: JSON.stringify(call.arguments ?? {}),
      })),
    });
    for (const { callId } of calls) {
      const text = run.results.get(callId) ?? results.get(callId) ?? '';
      messages.push({ role: 'tool', callId, content: clipResult(text, MAX_RESULT_CHARACTERS) });
    }
    return [request];
  });
}
