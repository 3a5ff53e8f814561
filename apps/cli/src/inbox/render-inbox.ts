import type { InboxItem } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable, toPrintableLines } from '../output/printable.js';
import { formatAge } from '../output/quantities.js';

/** Renders what waits for a person, with the commands that decide it. */
export function renderInbox(items: readonly InboxItem[], now: number, paint: Paint): string[] {
  return items.flatMap((item, index) => [...(index > 0 ? [''] : []), ...renderItem(item, now, paint)]);
}

function renderItem(item: InboxItem, now: number, paint: Paint): string[] {
  const { kind, jobId, agent, callId, approval, question, todo, blocked, unreadableReason } = item;
  const age = formatAge(now - Date.parse(item.askedAt));
  const title = `${kind}${callId === undefined ? '' : ` ${callId}`} of ${toPrintable(agent)}, job ${jobId}`;
  const lines = [`${paint.bold(title)} ${paint.dim(`waits for ${age}${formatDeadline(item.deadlineAt, now)}`)}`];
  if (unreadableReason !== undefined) return [...lines, `  The job cannot be read: ${toPrintable(unreadableReason)}`];
  if (approval) {
    lines.push(...indent(renderApproval(approval, paint)));
    lines.push(
      paint.dim(`  phaseline approve ${jobId} ${callId}    or: phaseline refuse ${jobId} ${callId} --reason …`),
    );
  }
  if (question) {
    lines.push(...indent(renderQuestion(question)));
    lines.push(paint.dim(`  phaseline answer ${jobId} ${callId} …`));
  }
  if (todo) {
    lines.push(...indent(renderTodo(todo)));
    lines.push(paint.dim(`  phaseline steer ${jobId} …    tells the agent what has changed`));
  }
  if (blocked) {
    lines.push(...indent(renderBlockedJob(blocked)));
    lines.push(paint.dim(`  phaseline retry ${jobId}`));
  }
  return lines;
}

function formatDeadline(deadlineAt: string | undefined, now: number): string {
  if (deadlineAt === undefined) return '';
  const left = Date.parse(deadlineAt) - now;
  return left > 0 ? `, ends in ${formatAge(left)}` : ', has ended';
}

function renderTodo({ id, content, reason }: NonNullable<InboxItem['todo']>): string[] {
  return [`todo ${id}: ${toPrintable(content)}`, `blocked: ${toPrintable(reason)}`];
}

function renderBlockedJob({ code, message, items = [] }: NonNullable<InboxItem['blocked']>): string[] {
  return [
    `${toPrintable(message)} (${toPrintable(code)})`,
    ...items.map(({ id, reason }) => `- ${id === undefined ? '' : `${toPrintable(id)}: `}${toPrintable(reason)}`),
  ];
}

function renderApproval(approval: NonNullable<InboxItem['approval']>, paint: Paint): string[] {
  const { reason } = approval;
  return [...(reason === undefined ? [] : [`asked because: ${toPrintable(reason)}`]), ...renderCall(approval, paint)];
}

function renderCall({ tool, arguments: args, change }: NonNullable<InboxItem['approval']>, paint: Paint): string[] {
  const shown = toPrintableLines(JSON.stringify(args, null, 2)).split('\n');
  if (!change) return [toPrintable(tool), ...shown];
  const title = `${toPrintable(tool)} ${toPrintable(change.path)}`;
  if (change.patch === undefined) return [`${title} (no diff: ${toPrintable(change.omittedBecause ?? '')})`, ...shown];
  const lines = toPrintableLines(change.patch).trimEnd().split('\n');
  return [title, ...lines.map((line) => paintDiffLine(line, paint))];
}

function paintDiffLine(line: string, paint: Paint): string {
  if (line.startsWith('+')) return paint.green(line);
  return line.startsWith('-') ? paint.red(line) : line;
}

function renderQuestion({ text, options, schema, default: fallback }: NonNullable<InboxItem['question']>): string[] {
  return [
    ...toPrintableLines(text).split('\n'),
    ...(options ?? []).map((option) => `- ${toPrintable(option)}`),
    ...(schema ? [`answer as JSON: ${toPrintable(JSON.stringify(schema))}`] : []),
    ...(fallback === undefined
      ? []
      : [`without an answer: ${toPrintable(typeof fallback === 'string' ? fallback : JSON.stringify(fallback))}`]),
  ];
}

const indent = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
