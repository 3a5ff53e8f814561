import { generateIdempotencyKey, type ForkInput, type JobSummary } from '@phaseline/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { client } from '../api/client.js';
import { agentsQuery } from '../api/queries.js';
import { useRights } from '../api/use-rights.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { Checkbox, SelectField, TextArea, TextField } from '../ui/field.js';
import { ErrorNotice } from '../ui/notice.js';
import { buildFork, type ForkForm } from './build-fork.js';
import { useIsAnswer, useNextAnswer } from './use-next-answer.js';

const emptyForm: ForkForm = { agent: '', strategicModel: '', tacticalModel: '', mode: 'live', isEdited: false };

/** Creates a job that continues from the event at the slider, with another agent, other models, or an edited answer. */
export function ForkDialog({ job, onClose }: { readonly job: JobSummary; readonly onClose: () => void }) {
  const [params] = useSearchParams();
  const shown = Number(params.get('at') ?? job.position);
  const [keepsAnswer, setKeepsAnswer] = useState(false);
  const isAtAnswer = useIsAnswer(job.jobId, shown);
  // Who looks at an answer of the model wants another one: the fork begins before it.
  const position = isAtAnswer && !keepsAnswer ? shown - 1 : shown;
  const [, navigate] = useLocation();
  const [form, setForm] = useState(emptyForm);
  // One per dialog: if the response of the server was lost, pressing the button again does not create a second fork.
  const [idempotencyKey] = useState(generateIdempotencyKey);
  const change = (part: Partial<ForkForm>): void => setForm((before) => ({ ...before, ...part }));
  const next = useNextAnswer(job.jobId, position);
  const fork = useMutation({
    mutationFn: (request: ForkInput) => client.fork(job.jobId, request),
    onSuccess: ({ jobId }) => navigate(`/compare/${job.jobId}/${jobId}`),
  });
  const request = buildFork(form, position);
  return (
    <Dialog title="Fork the job" onClose={onClose} wide>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (typeof request === 'object') fork.mutate({ ...request, idempotencyKey });
        }}
      >
        <p>
          {isAtAnswer && !keepsAnswer
            ? 'The slider is at an answer of the model: the fork begins just before it, and this answer is given again. '
            : `The fork continues from position ${position} of the log. `}
          This job does not change.
        </p>
        {isAtAnswer ? (
          <Checkbox
            label="Keep this answer, and continue after it"
            checked={keepsAnswer}
            onChange={({ target }) => {
              setKeepsAnswer(target.checked);
              change({ isEdited: false, content: undefined, calls: undefined });
            }}
          />
        ) : null}
        <div className="form-row">
          <AgentSelect value={form.agent} onChange={(agent) => change({ agent })} />
          <TextField
            label="Model profile of strategic phases"
            placeholder="as before"
            value={form.strategicModel}
            onChange={({ target }) => change({ strategicModel: target.value })}
          />
          <TextField
            label="Model profile of tactical phases"
            placeholder="as before"
            value={form.tacticalModel}
            onChange={({ target }) => change({ tacticalModel: target.value })}
          />
          <SelectField
            label="Answers after this point"
            value={form.mode}
            onChange={({ target }) => change({ mode: target.value as ForkForm['mode'] })}
          >
            <option value="live">from the model</option>
            <option value="recorded">recorded ones, as long as they fit</option>
          </SelectField>
        </div>
        <Checkbox
          label={isAtAnswer && !keepsAnswer ? 'Edit this answer of the model' : 'Edit the next answer of the model'}
          checked={form.isEdited}
          disabled={!next.data}
          onChange={({ target }) =>
            change({
              isEdited: target.checked,
              content: form.content ?? next.data?.content,
              calls: form.calls ?? next.data?.calls,
            })
          }
        />
        {form.isEdited ? <AnswerFields form={form} onChange={change} /> : null}
        {typeof request === 'string' ? <ErrorNotice error={request} /> : null}
        {fork.error ? <ErrorNotice error={fork.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" variant="primary" disabled={fork.isPending || typeof request === 'string'}>
            Fork and compare
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function AgentSelect({ value, onChange }: { readonly value: string; readonly onChange: (agent: string) => void }) {
  const can = useRights();
  const agents = useQuery({ ...agentsQuery, enabled: can('agents:read') });
  return (
    <SelectField label="Agent" value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">as before</option>
      {agents.data?.items.map(({ name, displayName }) => (
        <option key={name} value={name}>
          {displayName}
        </option>
      ))}
    </SelectField>
  );
}

function AnswerFields({
  form,
  onChange,
}: {
  readonly form: ForkForm;
  readonly onChange: (part: Partial<ForkForm>) => void;
}) {
  return (
    <>
      <TextArea
        label="Text of the answer"
        rows={5}
        value={form.content ?? ''}
        onChange={({ target }) => onChange({ content: target.value })}
      />
      <TextArea
        label="Calls of the answer"
        help="A JSON list of objects with name and arguments."
        rows={10}
        spellCheck={false}
        value={form.calls ?? '[]'}
        onChange={({ target }) => onChange({ calls: target.value })}
      />
    </>
  );
}
