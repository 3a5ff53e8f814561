import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';

/** Opens the audit of a job by its id. */
export function JobLookup() {
  const [jobId, setJobId] = useState('');
  const [, navigate] = useLocation();
  const id = jobId.trim().toLowerCase();
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (id !== '') navigate(`/audit/${encodeURIComponent(id)}`);
      }}
    >
      <TextField label="Job id" value={jobId} onChange={({ target }) => setJobId(target.value)} />
      <Button type="submit" disabled={id === ''}>
        Audit job
      </Button>
    </form>
  );
}
