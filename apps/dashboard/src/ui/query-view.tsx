import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loading } from './loading.js';
import { ErrorNotice } from './notice.js';

/**
 * Shows the data of a query, that it is being loaded, or why it could not be. While old data exist, they stay on the page, and an
 * error of a later request is shown above them.
 */
export function QueryView<Data>({
  query,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}) {
  const retry = (): void => void query.refetch();
  if (query.data === undefined) {
    if (query.error) return <ErrorNotice error={query.error} onRetry={retry} />;
    return <Loading />;
  }
  return (
    <>
      {query.error ? <ErrorNotice error={query.error} onRetry={retry} /> : null}
      {children(query.data)}
    </>
  );
}
