import { useSearchParams } from 'wouter';

const panelNames = ['state', 'prompt', 'files', 'money', 'event'] as const;
export type PanelName = (typeof panelNames)[number];

/** The open panel, kept in the address, so that a link leads to the same view. */
export function usePanel(): readonly [PanelName, (name: PanelName) => void] {
  const [params, setParams] = useSearchParams();
  const given = params.get('panel');
  const current = panelNames.find((name) => name === given) ?? 'state';
  const change = (name: PanelName): void =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (name === 'state') after.delete('panel');
        else after.set('panel', name);
        return after;
      },
      { replace: true },
    );
  return [current, change];
}
