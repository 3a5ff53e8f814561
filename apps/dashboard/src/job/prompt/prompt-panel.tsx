import { readCount, readObject, type JobStateResponse, type ModelCall, type PromptResponse } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { SelectField } from '../../ui/field.js';
import { formatCount } from '../../ui/format.js';
import { Empty } from '../../ui/notice.js';
import { QueryView } from '../../ui/query-view.js';
import { findCallAt, nameCall } from './find-call.js';
import { PromptLayers } from './prompt-layers.js';
import { useModelCalls, usePrompt } from './use-prompt.js';
import './prompt.css';

/** The request of the last model call before the slider, layer by layer. Choosing another call moves the slider to it. */
export function PromptPanel({
  jobId,
  state,
  onMove,
}: {
  readonly jobId: JobId;
  readonly state: JobStateResponse;
  readonly onMove: (position: number) => void;
}) {
  const phase = readCount(readObject(readObject(state.phase ?? {}, 'start'), 'identity'), 'phase');
  if (phase === undefined) return <Empty>No phase has started at this event.</Empty>;
  return <PhasePrompt {...{ jobId, phase, onMove }} position={state.position} />;
}

function PhasePrompt({
  jobId,
  phase,
  position,
  onMove,
}: {
  readonly jobId: JobId;
  readonly phase: number;
  readonly position: number;
  readonly onMove: (position: number) => void;
}) {
  const calls = useModelCalls(jobId, phase);
  return (
    <QueryView query={calls}>
      {(items) => {
        const at = findCallAt(items, position);
        const call = items[at];
        return (
          <div className="stack">
            {items.length === 0 ? null : <CallChoice {...{ calls: items, at, phase, onMove }} />}
            {call === undefined ? (
              <Empty>No model call of phase {phase} has started at this event.</Empty>
            ) : (
              <Prompt {...{ jobId, phase, call }} />
            )}
          </div>
        );
      }}
    </QueryView>
  );
}

function CallChoice({
  calls,
  at,
  phase,
  onMove,
}: {
  readonly calls: readonly ModelCall[];
  readonly at: number;
  readonly phase: number;
  readonly onMove: (position: number) => void;
}) {
  const before = calls[at - 1];
  const after = calls[at + 1];
  return (
    <div className="prompt-choice">
      <SelectField
        label={`Model call of phase ${phase}`}
        value={calls[at]?.position ?? ''}
        onChange={({ target }) => onMove(Number(target.value))}
      >
        {at === -1 ? <option value="">none yet</option> : null}
        {calls.map((call) => (
          <option key={call.position} value={call.position}>
            {nameCall(call)} · {formatCount(call.inputTokens)} tokens
          </option>
        ))}
      </SelectField>
      <Button disabled={before === undefined} onClick={() => before && onMove(before.position)}>
        Previous
      </Button>
      <Button disabled={after === undefined} onClick={() => after && onMove(after.position)}>
        Next
      </Button>
    </div>
  );
}

function Prompt({ jobId, phase, call }: { readonly jobId: JobId; readonly phase: number; readonly call: ModelCall }) {
  const prompt = usePrompt(jobId, phase, call);
  return (
    <QueryView query={prompt}>
      {(data) => (
        <>
          <div className="row">
            <Badge>model {data.call.model}</Badge>
            <Badge>{formatCount(data.call.inputTokens)} tokens</Badge>
            <Exactness prompt={data} />
          </div>
          <PromptLayers key={data.call.position} prompt={data} />
        </>
      )}
    </QueryView>
  );
}

function Exactness({ prompt }: { readonly prompt: PromptResponse }) {
  if (prompt.isExact)
    return (
      <Badge tone="ok" glyph="✓">
        exactly what was sent
      </Badge>
    );
  return (
    <>
      <Badge tone="warn" glyph="!">
        not exactly what was sent
      </Badge>
      <p className="muted">
        {prompt.difference === 'other-builder'
          ? `Version ${prompt.call.promptBuilder} of the prompt builder made the request, and this server has version ${prompt.rebuiltBy}.`
          : 'The server that made the call described its tools in other words, or files of the job were removed or changed.'}
      </p>
    </>
  );
}
