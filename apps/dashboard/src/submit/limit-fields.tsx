import { Card } from '../ui/card.js';
import { TextField } from '../ui/field.js';
import type { FieldsProps } from './agent-choice.js';
import type { Agent } from './submit-draft.js';

const MINUTE_MS = 60_000;

/** The limits of the job. An empty field keeps that of the agent, which it shows. */
export function LimitFields({ agent, draft, change, errors }: FieldsProps & { readonly agent: Agent | undefined }) {
  const { maxCostUsd, maxTokens, maxPhases, maxWallTimeMs } = agent?.budgets ?? {};
  const minutes = maxWallTimeMs === undefined ? undefined : maxWallTimeMs / MINUTE_MS;
  const fields = [
    ['maxCostUsd', 'Cost in US dollars', maxCostUsd],
    ['maxTokens', 'Tokens', maxTokens],
    ['maxPhases', 'Phases', maxPhases],
    ['maxMinutes', 'Time in minutes', minutes],
  ] as const;
  return (
    <Card title="Limits">
      <div className="form-row submit-limits">
        {fields.map(([name, label, ofAgent]) => (
          <TextField
            key={name}
            label={label}
            inputMode="decimal"
            placeholder={ofAgent === undefined ? 'no limit' : String(ofAgent)}
            value={draft[name]}
            error={errors[name]}
            onChange={({ target }) => change({ [name]: target.value })}
          />
        ))}
      </div>
    </Card>
  );
}
