import { Checkbox, Group, Stack, Text } from '@mantine/core';
import classes from './scope-picker.module.css';
import { type Part, scopeGroups, type Ticked, tickOf } from './scopes.ts';

interface Props {
  readonly ticked: Ticked;
  readonly onChange: (ticked: Ticked) => void;
}

/** What a secret key may do, one line for each resource. */
export function ScopePicker({ ticked, onChange }: Props) {
  const toggle = (tick: string, isOn: boolean) =>
    onChange(isOn ? [...ticked, tick] : ticked.filter((other) => other !== tick));
  return (
    <Stack gap="md">
      {scopeGroups.map(({ title, parts }) => (
        <div key={title}>
          <Text fw={600} mb={4}>
            {title}
          </Text>
          {parts.map((part) => (
            <Line key={part.resource} part={part} ticked={ticked} onToggle={toggle} />
          ))}
        </div>
      ))}
    </Stack>
  );
}

interface LineProps {
  readonly part: Part;
  readonly ticked: Ticked;
  readonly onToggle: (tick: string, isOn: boolean) => void;
}

function Line({ part, ticked, onToggle }: LineProps) {
  return (
    <fieldset className={classes.line}>
      <legend className={classes.name}>{part.label}</legend>
      <Group gap="0.35rem 1rem" align="stretch">
        {part.actions.map((action) => {
          const tick = tickOf(part, action);
          return (
            <Checkbox
              key={tick}
              size="xs"
              label={action.label}
              checked={ticked.includes(tick)}
              onChange={(event) => onToggle(tick, event.currentTarget.checked)}
            />
          );
        })}
      </Group>
    </fieldset>
  );
}
