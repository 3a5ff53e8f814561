import { FULFILMENT_TYPES, TARGET_LABELS, type Metamodel } from '@phaseline/contracts';

/** Requirements, and what can fulfil them: the business objects of a system and the messages that it exchanges. */
export const DEFAULT_METAMODEL: Metamodel = {
  labels: {
    Requirement: { required: ['rid', 'text'], key: 'rid' },
    BusinessObject: { required: ['name'], key: 'name' },
    Message: { required: ['name'], key: 'name' },
  },
  relationships: [
    ...FULFILMENT_TYPES.flatMap((type) => TARGET_LABELS.map((to) => ({ from: 'Requirement', type, to }))),
    ...['REFINES', 'DEPENDS_ON', 'CONFLICTS_WITH', 'DUPLICATES'].map((type) => ({
      from: 'Requirement',
      type,
      to: 'Requirement',
    })),
    { from: 'Message', type: 'CARRIES', to: 'BusinessObject' },
    { from: 'BusinessObject', type: 'RELATES_TO', to: 'BusinessObject' },
  ],
};
