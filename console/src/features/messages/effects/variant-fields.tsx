import { ActionIcon, Button, Group, NumberInput, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { Icon } from '../../../components/page/blocks.tsx';
import { t } from '../../../lib/words/words.ts';
import { firstVariants, type Variant } from './effects.ts';
import classes from './variant-fields.module.css';

interface VariantProps {
  readonly variants: readonly Variant[] | null;
  readonly problem: (name: string) => string | undefined;
  readonly onChange: (variants: readonly Variant[] | null) => void;
}

const maxVariants = 5;

/** Several wordings of a message, of which each visitor always gets the same one. */
export function VariantFields({ variants, problem, onChange }: VariantProps) {
  const replace = (index: number, change: Partial<Variant>) =>
    onChange((variants ?? []).map((one, place) => (place === index ? { ...one, ...change } : one)));
  return (
    <>
      <Switch
        label={t('Try several wordings')}
        description={t('Each visitor always gets the same one. What you leave empty is as in the message.')}
        checked={variants !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? firstVariants : null)}
      />
      {variants?.map((variant, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: variants have no identity but their place
        <fieldset key={index} className={classes.variant}>
          <legend>{t('Variant {name}', { name: variant.name || index + 1 })}</legend>
          <Group align="flex-start" wrap="nowrap">
            <TextInput
              label={t('Its name')}
              value={variant.name}
              error={problem(`variants.${index}.name`)}
              onChange={({ currentTarget }) => replace(index, { name: currentTarget.value })}
            />
            <NumberInput
              label={t('Share')}
              description={t('Of all shares')}
              min={1}
              max={100}
              allowDecimal={false}
              value={variant.weight ?? 1}
              error={problem(`variants.${index}.weight`)}
              onChange={(weight) => replace(index, { weight: Number(weight) })}
            />
            {variants.length > 2 && (
              <ActionIcon
                variant="subtle"
                mt={26}
                aria-label={t('Remove variant {name}', { name: variant.name })}
                onClick={() => onChange(variants.filter((_, place) => place !== index))}
              >
                <Icon name="trash" size={16} />
              </ActionIcon>
            )}
          </Group>
          <TextInput
            label={t('Its title')}
            value={variant.message?.alertTitle ?? ''}
            error={problem(`variants.${index}.message.alertTitle`)}
            onChange={({ currentTarget }) =>
              replace(index, { message: { ...variant.message, alertTitle: currentTarget.value } })
            }
          />
          <Textarea
            label={t('Its text')}
            minRows={1}
            maxRows={6}
            value={variant.message?.alertMessage ?? ''}
            error={problem(`variants.${index}.message.alertMessage`)}
            onChange={({ currentTarget }) =>
              replace(index, { message: { ...variant.message, alertMessage: currentTarget.value } })
            }
          />
        </fieldset>
      ))}
      {variants && variants.length < maxVariants && (
        <Button
          size="xs"
          w="fit-content"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => onChange([...variants, { name: 'ABCDE'[variants.length] ?? '', message: {} }])}
        >
          {t('Another wording')}
        </Button>
      )}
      {problem('variants') && <Text c="red">{problem('variants')}</Text>}
    </>
  );
}
