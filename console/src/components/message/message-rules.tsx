import { useQuery } from '@tanstack/react-query';
import { appQuery } from '../../lib/data/queries.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import type { Fields } from '../form/use-fields.ts';
import { Block } from '../page/block.tsx';
import { RuleFields } from '../rules/rule-fields.tsx';
import { appRules, type Rules } from '../rules/rules.ts';

interface Values {
  readonly delivery: Rules;
}

interface Props {
  readonly appId: string;
  readonly form: Pick<Fields<Values>, 'problemWithin'> & { readonly values: Values };
  readonly onChange: (delivery: Rules) => void;
}

/** How often and when a message is shown, as part of its form. */
export function MessageRules({ appId, form, onChange }: Props) {
  return (
    <Block
      title={t('How often')}
      about={t('The rules of the app apply to every message. You can set different ones for this message.')}
    >
      <MessageRuleFields
        appId={appId}
        value={form.values.delivery}
        problem={(name) => form.problemWithin(`delivery.${name}`)}
        onChange={onChange}
      />
    </Block>
  );
}

interface FieldsProps {
  readonly appId: string;
  readonly value: Rules;
  readonly problem: (name: string) => string | undefined;
  readonly onChange: (delivery: Rules) => void;
}

/** The rules of a message, beside those of its app. */
export function MessageRuleFields({ appId, ...rest }: FieldsProps) {
  const { data: app } = useQuery(appQuery(appId));
  const times = useTimes(appId);
  return <RuleFields app={appRules(app?.policy)} times={times} {...rest} />;
}
