/** No process reached the fault point although jobs were running, so nothing was tested there. */
export class FaultPointNotReached extends Error {
  override readonly name = 'FaultPointNotReached';
}
