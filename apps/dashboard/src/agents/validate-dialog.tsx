import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../api/client.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { TextArea } from '../ui/field.js';
import { pluralise } from '../ui/format.js';
import { ErrorNotice, Notice } from '../ui/notice.js';
import { ProblemList } from './problems.js';
import { nameFromYaml } from './name-from-yaml.js';

/** Checks the text of an agent.yaml on the server, as `phaseline agents validate` does with files. Nothing is stored. */
export function ValidateDialog({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const check = useMutation({
    mutationFn: (yaml: string) =>
      client.validateAgent({ name: nameFromYaml(yaml) ?? 'agent', files: { 'agent.yaml': yaml } }),
  });
  const change = (next: string): void => {
    setText(next);
    check.reset();
  };
  return (
    <Dialog title="Check a definition" wide onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          check.mutate(text);
        }}
      >
        <TextArea
          label="Text of agent.yaml"
          help="Checked against the tools, workflows, models and agents of this server. Nothing is stored. Files beside it, such as schemas and guards, are checked by the command phaseline agents validate."
          isCode
          rows={14}
          value={text}
          onChange={({ target }) => change(target.value)}
        />
        <input
          ref={input}
          type="file"
          hidden
          accept=".yaml,.yml,.json"
          onChange={({ target }) => void target.files?.[0]?.text().then(change)}
        />
        <div aria-live="polite" className="stack-small">
          {check.error ? <ErrorNotice error={check.error} /> : null}
          {check.data ? <Result {...check.data} /> : null}
        </div>
        <DialogActions>
          <Button onClick={() => input.current?.click()}>Choose a file</Button>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" variant="primary" disabled={text.trim() === '' || check.isPending}>
            Check
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Result({ passed, problems, warnings }: Awaited<ReturnType<typeof client.validateAgent>>) {
  return (
    <>
      <Notice tone={passed ? 'ok' : 'bad'}>
        <div className="stack-small grow">
          <p>{passed ? '✓ The definition is valid.' : `✕ ${pluralise(problems.length, 'problem')}.`}</p>
          <ProblemList problems={problems} />
        </div>
      </Notice>
      {warnings.length > 0 ? (
        <Notice tone="warn">
          <div className="stack-small grow">
            <p>Valid, but probably not intended:</p>
            <ProblemList problems={warnings} />
          </div>
        </Notice>
      ) : null}
    </>
  );
}
