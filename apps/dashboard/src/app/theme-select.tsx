import { useState } from 'react';

const KEY = 'phaseline-theme';
const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

/** Applies the theme that was chosen in this browser. Called before the first paint. */
export function applyStoredTheme(): void {
  applyTheme(readStoredTheme());
}

export function ThemeSelect() {
  const [theme, setTheme] = useState(readStoredTheme);
  const choose = (next: Theme): void => {
    setTheme(next);
    applyTheme(next);
    localStorage.setItem(KEY, next);
  };
  return (
    <label className="row">
      <span className="muted">Theme</span>
      <select value={theme} onChange={({ target }) => choose(target.value as Theme)}>
        {themes.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

function readStoredTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return themes.find((theme) => theme === stored) ?? 'system';
}

function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
