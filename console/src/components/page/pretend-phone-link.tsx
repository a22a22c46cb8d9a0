import { useMay } from '../../lib/data/access.ts';
import { t } from '../../lib/words/words.ts';
import { LinkButton } from './blocks.tsx';

/** One click from a phone that walks past a beacon. */
export function PretendPhoneLink({ appId, isPlain = false }: { readonly appId: string; readonly isPlain?: boolean }) {
  if (!useMay()('phones.pair')) return null;
  return (
    <LinkButton to="/apps/$appId/phone" params={{ appId }} icon="phone" isPlain={isPlain}>
      {t('Pretend phone')}
    </LinkButton>
  );
}
