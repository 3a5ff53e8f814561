import { Card } from '../ui/card.js';
import { Checkbox, TextArea, TextField } from '../ui/field.js';
import type { FieldsProps } from './agent-choice.js';

/** What few submissions need. */
export function OtherFields({ draft, change, errors }: FieldsProps) {
  return (
    <Card title="More">
      <div className="form">
        <TextArea
          label="Labels"
          help="One key=value per line, such as team=legal. Lists of jobs can be filtered by them."
          rows={2}
          value={draft.labels}
          error={errors['labels']}
          onChange={({ target }) => change({ labels: target.value })}
        />
        <div className="form-row submit-limits">
          <TextField
            label="Priority"
            help="0 is the highest, 100 the lowest."
            inputMode="numeric"
            placeholder="0"
            value={draft.priority}
            error={errors['priority']}
            onChange={({ target }) => change({ priority: target.value })}
          />
          <TextField
            label="Idempotency key"
            help="The same key never creates a second job."
            placeholder="a random one"
            value={draft.idempotencyKey}
            error={errors['idempotencyKey']}
            onChange={({ target }) => change({ idempotencyKey: target.value })}
          />
        </div>
        <Checkbox
          label="Store the content encrypted, so that it can be erased"
          checked={draft.encrypt}
          onChange={({ target }) => change({ encrypt: target.checked })}
        />
        {errors['encrypt'] === undefined ? null : (
          <p className="field-error" role="alert">
            {errors['encrypt']}
          </p>
        )}
      </div>
    </Card>
  );
}
