import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';

/** Shows a screen that failed as a message instead of an empty page. React offers error boundaries as classes only. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <Page title="This page failed">
        <Notice tone="bad">
          <p>The page could not be shown: {String(this.state.error)}</p>
          {/* A new release replaced the files of this one, or the page has a defect: loading it again helps with the first. */}
          <Button onClick={() => location.reload()}>Load the page again</Button>
        </Notice>
      </Page>
    );
  }
}
