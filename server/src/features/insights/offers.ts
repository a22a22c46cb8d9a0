import { goneVisits } from './analytics/numbers/tables.ts';
import { crowdedPlaces } from './occupancy/tables.ts';
import { reportMails } from './reports/tables.ts';

export { noteReceiptOfShowing, noteShowings } from './analytics/messages/showings.ts';

export const insightTables = { crowdedPlaces, goneVisits, reportMails };
