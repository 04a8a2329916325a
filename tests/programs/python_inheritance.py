"""Multiple inheritance with super(), class attributes, classmethods, properties with setters, slots, name mangling."""


class Base:
    scale = 2.0
    made = 0

    def __init__(self, x):
        self.__x = x
        Base.made += 1

    @property
    def x(self):
        return self.__x

    @x.setter
    def x(self, value):
        self.__x = value * self.scale

    def value(self):
        return self.__x

    @classmethod
    def twice(cls, x):
        return cls(x * 2)


class Left(Base):
    def value(self):
        return super().value() + 1.0


class Right(Base):
    scale = 3.0

    def value(self):
        return super().value() * 10


class Both(Left, Right):
    __slots__ = ("extra",)

    def __init__(self, x, extra):
        super().__init__(x)
        self.extra = extra

    def value(self):
        return super().value() - self.extra


def program(x, y):
    Base.made = 0
    b = Both(x, y)
    before = b.value()
    b.x = y
    r = Right.twice(x)
    r.scale = x
    r.x = 1.5
    del r.scale

    class Local(Base):
        factor = x * 2
        offset = factor + y

        def value(self, bonus=y):
            return self.factor * self.x + bonus

    return before, b.value(), r.value(), r.x, Local(y).value(), Local(y).value(bonus=x), Base.made, Local.offset


FIRST = {"x": 0.5, "y": 1.25}
SECOND = {"x": 0.75, "y": 1.5}
