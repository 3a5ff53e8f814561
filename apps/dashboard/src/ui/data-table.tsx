import type { ReactNode } from 'react';
import './data-table.css';

export interface Column<Row> {
  readonly key: string;
  readonly title: ReactNode;
  readonly render: (row: Row) => ReactNode;
  /** Numbers stand at the right edge. */
  readonly isNumber?: boolean;
  /** Hidden where the window is narrow. */
  readonly isSecondary?: boolean;
}

/** A table of rows that all fit on the page. Lists that may be long use VirtualTable. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowKey,
}: {
  /** What the table contains, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}) {
  return (
    <div className="table-scroll" role="region" aria-label={label} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.key} className={classOf(column)}>
                  {column.render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf({ isNumber = false, isSecondary = false }: Pick<Column<never>, 'isNumber' | 'isSecondary'>): string {
  return `${isNumber ? 'number' : ''} ${isSecondary ? 'secondary' : ''}`.trim();
}
