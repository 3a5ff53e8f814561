import { Link } from 'wouter';
import './tabs.css';

/** Tabs that are addresses, so that each of them can be shared and the back button works. */
export function LinkTabs({
  label,
  tabs,
  current,
}: {
  readonly label: string;
  readonly tabs: readonly { readonly to: string; readonly title: string; readonly count?: number | undefined }[];
  readonly current: string;
}) {
  return (
    <nav aria-label={label} className="tabs">
      {tabs.map(({ to, title, count }) => (
        <Link key={to} href={to} className="tab" aria-current={to === current ? 'page' : undefined}>
          {title}
          {count === undefined ? null : <span className="muted"> {count}</span>}
        </Link>
      ))}
    </nav>
  );
}
