import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { client } from '../api/client.js';
import { useRights } from '../api/use-rights.js';
import { Dialog } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import type { ScreenEntry } from './screens.js';
import './go-to-dialog.css';

/** Opens the dialog with Ctrl+K or ⌘K. */
export function useGoToShortcut(open: () => void): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      open();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
}

interface Target {
  readonly to: string;
  readonly title: string;
  readonly note: string;
}

/** Goes to a screen, or to a job by its id or the name of its agent. */
export function GoToDialog({
  entries,
  onClose,
}: {
  readonly entries: readonly ScreenEntry[];
  readonly onClose: () => void;
}) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [, navigate] = useLocation();
  const targets = useTargets(entries, text.trim().toLowerCase());
  const go = (target: Target | undefined): void => {
    if (!target) return;
    navigate(target.to);
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setChosen((before) => Math.min(targets.length - 1, Math.max(0, before + step)));
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <form
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault();
          go(targets[chosen]);
        }}
      >
        <TextField
          label="Screen, job id or agent"
          value={text}
          autoFocus
          onChange={({ target }) => {
            setText(target.value);
            setChosen(0);
          }}
        />
        <ul className="go-to-targets" aria-label="Results">
          {targets.map((target, index) => (
            <li key={target.to}>
              <button type="button" className="go-to-target" aria-current={index === chosen} onClick={() => go(target)}>
                <span>{target.title}</span>
                <span className="muted">{target.note}</span>
              </button>
            </li>
          ))}
        </ul>
      </form>
    </Dialog>
  );
}

function useTargets(entries: readonly ScreenEntry[], text: string): readonly Target[] {
  const canRead = useRights()('jobs:read');
  const jobs = useQuery({
    queryKey: ['jobs', 'go-to'],
    queryFn: ({ signal }) => client.listPage({ limit: 100 }, { signal }),
    enabled: canRead,
  });
  const found: Target[] = entries
    .filter(({ title }) => title.toLowerCase().includes(text))
    .map(({ title, to }) => ({ title, to, note: 'screen' }));
  const matching = (jobs.data?.items ?? [])
    .filter(({ jobId, agent }) => text !== '' && (jobId.startsWith(text) || agent.toLowerCase().includes(text)))
    .slice(0, 8)
    .map(({ jobId, agent, status }) => ({ to: `/jobs/${jobId}`, title: jobId, note: `${agent}, ${status}` }));
  // A whole id also leads to a job that is older than the ones that were listed.
  const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
  const byId = canRead && isId && matching.length === 0 ? [{ to: `/jobs/${text}`, title: text, note: 'job' }] : [];
  return [...found, ...matching, ...byId];
}
