import type { Alert } from '@phaseline/client';
import { Link } from 'wouter';
import { Badge } from '../ui/badge.js';
import { Card } from '../ui/card.js';
import { Command } from '../ui/code.js';
import { ErrorNotice } from '../ui/notice.js';
import { Ago } from '../ui/time.js';
import { findAlertLink } from './alert-link.js';
import { useAlerts } from './use-overview.js';

/** What is wrong now, each with its cause and the command that fixes or shows it. Nothing is shown while nothing is wrong. */
export function Alerts() {
  const { data, error } = useAlerts();
  if (data === undefined) return error ? <ErrorNotice error={error} /> : null;
  if (data.items.length === 0) return null;
  return (
    <Card title={`Alerts (${data.items.length})`}>
      <ul aria-live="polite">
        {data.items.map((alert) => (
          <AlertItem key={alert.id} alert={alert} />
        ))}
      </ul>
    </Card>
  );
}

function AlertItem({ alert }: { readonly alert: Alert }) {
  const { severity, title, cause, command, since } = alert;
  const link = findAlertLink(alert);
  return (
    <li className="alert">
      <Badge tone={severity === 'critical' ? 'bad' : 'warn'} glyph={severity === 'critical' ? '✕' : '▲'}>
        {severity}
      </Badge>
      <div className="stack-small">
        <p className="wrap-anywhere">
          <strong>{title}</strong>
          {since === undefined ? null : (
            <span className="muted">
              {', '}
              <Ago at={since} />
            </span>
          )}
        </p>
        <p className="wrap-anywhere">{cause}</p>
        <div className="row">
          <Command text={command} />
          {link === undefined ? null : <Link href={link.to}>{link.text}</Link>}
        </div>
      </div>
    </li>
  );
}
