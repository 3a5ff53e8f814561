import type { ModelCall, PromptMessage, PromptResponse } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable, toPrintableLines } from '../output/printable.js';
import { pluralise } from '../output/quantities.js';
import { renderTable, type Column } from '../output/table.js';

/** Renders the model calls of a phase as a table. */
export function renderModelCalls(calls: readonly ModelCall[], paint: Paint): string[] {
  return renderTable(COLUMNS, calls, { title: paint.dim });
}

const COLUMNS: readonly Column<ModelCall>[] = [
  { title: 'STEP', align: 'right', cell: ({ step }) => String(step) },
  { title: 'ATTEMPT', align: 'right', cell: ({ attempt }) => String(attempt) },
  { title: 'PURPOSE', cell: ({ purpose }) => purpose },
  { title: 'MODEL', cell: ({ model }) => toPrintable(model) },
  { title: 'TOKENS', align: 'right', cell: ({ inputTokens }) => String(inputTokens) },
  { title: 'POSITION', align: 'right', cell: ({ position }) => String(position) },
  { title: 'HASH', cell: ({ requestHash }) => toPrintable(requestHash.slice(0, 12)) },
];

/** Renders a request with the result of the comparison first. */
export function renderPrompt(prompt: PromptResponse, messagesOnly: boolean, paint: Paint): string[] {
  const { call, request, phase } = prompt;
  const heading = (text: string): string => paint.bold(`── ${text}`);
  const layerOf = (index: number): string =>
    prompt.layers.find(({ firstMessage, messageCount }) => index < firstMessage + messageCount)?.layer ?? '';
  const describeTokens = (tokens: number | undefined): string =>
    tokens === undefined ? '' : pluralise(tokens, 'token');
  const lines = [
    `phase ${phase}, step ${call.step}, attempt ${call.attempt}: ${call.purpose}, model ${toPrintable(call.model)}, ${pluralise(call.inputTokens, 'token')}`,
    prompt.isExact
      ? paint.green(`exact: the hash equals the recorded one (${toPrintable(call.requestHash)})`)
      : paint.red(`not exact: ${explainDifference(prompt)}`),
    `layers: ${prompt.layers.map(({ layer, tokens }) => `${layer} ${tokens}`).join(', ')} tokens`,
    '',
  ];
  for (const [index, message] of request.messages.entries()) {
    const note = `${layerOf(index)}, ${describeTokens(prompt.messageTokens[index])}`;
    lines.push(heading(`${describeMessage(message)} (${note})`), ...renderMessage(message), '');
  }
  if (messagesOnly) return lines;
  for (const [index, { name, description, parameters }] of request.tools.entries())
    lines.push(
      heading(`tool ${toPrintable(name)} (${describeTokens(prompt.toolTokens[index])})`),
      toPrintableLines(description),
      toPrintable(JSON.stringify(parameters)),
      '',
    );
  return lines;
}

function explainDifference({ difference, call, rebuiltBy, hash }: PromptResponse): string {
  const hashes = `recorded ${toPrintable(call.requestHash)}, rebuilt ${toPrintable(hash)}`;
  return difference === 'other-builder'
    ? `version ${call.promptBuilder} of the prompt builder made the request, and this server rebuilds it with version ${rebuiltBy} (${hashes})`
    : `the server that made the call had other descriptions of tools, or files of the job were removed or changed (${hashes})`;
}

function describeMessage({ role, callId }: PromptMessage): string {
  return callId === undefined ? role : `${role}: result of ${toPrintable(callId)}`;
}

function renderMessage({ content, reasoning, toolCalls = [] }: PromptMessage): string[] {
  return [
    ...(reasoning === undefined ? [] : [`(reasoning) ${toPrintableLines(reasoning)}`]),
    ...(content === '' ? [] : [toPrintableLines(content)]),
    ...toolCalls.map((call) => `calls ${toPrintable(call.name)} ${toPrintable(call.arguments)}`),
  ];
}
