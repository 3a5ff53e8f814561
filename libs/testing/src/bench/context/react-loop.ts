import type { ChatMessage, ChatRequest } from '@phaseline/domain';
import { clipResult } from '@phaseline/tools';
import type { WorkRun } from './run-work.js';

/** Results are cut where most loops of that kind cut them, or the comparison would be all too easy. */
const RESULT_CHARACTERS = 24_000;

/**
 * The requests of a plain ReAct loop that does the same work: one system prompt, all answers and results so far, nothing
 * ever taken away. The transcript is that of the run, whole results in place of previews and remarks.
 */
export function reactRequests(run: WorkRun): ChatRequest[] {
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
      messages.push({ role: 'tool', callId, content: clipResult(text, RESULT_CHARACTERS) });
    }
    return [request];
  });
}
