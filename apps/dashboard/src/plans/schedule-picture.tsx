import type { JobId } from '@phaseline/contracts';
import { useEffect, useRef } from 'react';
import { QueryView } from '../ui/query-view.js';
import { useSchedulePicture } from './use-plans.js';

/** The schedule as a Gantt picture. An image runs no script, whatever the file contains. */
export function SchedulePicture({ planId, hash }: { readonly planId: JobId; readonly hash: string }) {
  const picture = useSchedulePicture(planId, hash);
  return (
    <QueryView query={picture}>
      {(svg) => (
        <div className="plan-picture" role="region" aria-label="Picture of the schedule" tabIndex={0}>
          <BlobImage text={svg} alt="Gantt picture of the schedule. The table below says the same." />
        </div>
      )}
    </QueryView>
  );
}

function BlobImage({ text, alt }: { readonly text: string; readonly alt: string }) {
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const address = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    if (image.current) image.current.src = address;
    return () => URL.revokeObjectURL(address);
  }, [text]);
  return <img ref={image} alt={alt} />;
}
