import { useEffect, type ReactNode } from 'react';
import './page.css';

/** The frame of a screen: its title, which is also the title of the tab, what can be done here, and the content. */
export function Page({
  title,
  badges,
  actions,
  fill = false,
  children,
}: {
  readonly title: string;
  readonly badges?: ReactNode;
  readonly actions?: ReactNode;
  /** Whether the page is as high as the window, so that its lists scroll instead of the page. */
  readonly fill?: boolean;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Phaseline`;
  }, [title]);
  return (
    <div className={fill ? 'page page-fill' : 'page'}>
      <header className="page-head">
        <h1 className="wrap-anywhere">{title}</h1>
        {badges}
        <div className="page-actions">{actions}</div>
      </header>
      {children}
    </div>
  );
}
