import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useRights } from '../api/use-rights.js';
import { GoToDialog, useGoToShortcut } from './go-to-dialog.js';
import { screens, type Screen, type ScreenEntry } from './screens.js';
import { SignedInAs } from './signed-in-as.js';
import { ThemeSelect } from './theme-select.js';
import { useNavigationCounts } from './use-navigation-counts.js';
import './shell.css';

/** The navigation beside every screen. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const can = useRights();
  const [isGoToOpen, setGoToOpen] = useState(false);
  useGoToShortcut(() => setGoToOpen(true));
  const entries = screens.flatMap(({ entry, load }) =>
    entry && (entry.right === undefined || can(entry.right)) ? [{ ...entry, load }] : [],
  );
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <aside className="sidebar">
        <p className="brand">Phaseline</p>
        <button type="button" className="go-to" onClick={() => setGoToOpen(true)}>
          Go to… <kbd>Ctrl K</kbd>
        </button>
        <Navigation entries={entries} />
        <div className="sidebar-foot">
          <ThemeSelect />
          <SignedInAs />
        </div>
      </aside>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {isGoToOpen ? <GoToDialog entries={entries} onClose={() => setGoToOpen(false)} /> : null}
    </div>
  );
}

/** Loads the code of a screen as soon as a person is about to open it. */
function Navigation({ entries }: { readonly entries: readonly (ScreenEntry & Pick<Screen, 'load'>)[] }) {
  const [path] = useLocation();
  const counts = useNavigationCounts();
  return (
    <nav aria-label="Screens">
      <ul>
        {entries.map(({ title, to, load }) => (
          <li key={to} onPointerEnter={() => void load()} onFocus={() => void load()}>
            <Link href={to} className="nav-link" aria-current={isWithin(path, to) ? 'page' : undefined}>
              {title}
              {counts[to] === undefined ? null : <span className="nav-count">{counts[to]}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function isWithin(path: string, to: string): boolean {
  return path === to || (to !== '/' && path.startsWith(`${to}/`));
}
